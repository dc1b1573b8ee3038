import { JSON_BOUNDS } from '../../server/src/platform/http/bounds.ts';
import { NOWHERE } from '../harness/project.ts';

/** The worst requests that can be made of each operation's schemas: made from the OpenAPI document alone, so that new
 *  operations are attacked by themselves. */

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly name: string;
  readonly method: string;
  /** With ids filled in. */
  readonly path: string;
  readonly body: Json | undefined;
  readonly query: Readonly<Record<string, Json>>;
  /** Needs no token. */
  readonly open: boolean;
  readonly operator: boolean;
}

export interface Attack {
  readonly shape: string;
  readonly path: string;
  readonly body?: string;
}

const OWN: Readonly<Record<string, string>> = {
  project_id: '1',
  region_id: '2',
  clientId: '1',
  client_id: '1',
};

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into where it is known to have something
type Document = any;

export function operationsOf(document: Document): Operation[] {
  const all = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]): Operation => {
      const named = (location: string) =>
        Object.fromEntries<Json>(
          operation.parameters
            .filter((each: Document) => each.in === location)
            .map((each: Document) => [each.name, resolved(each.schema, document)]),
        );
      const ids = named('path');
      const content = operation.requestBody?.content['application/json']?.schema;
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: path.replace(/\{(\w+)\}/g, (_all, name: string) => OWN[name] ?? idFor(ids[name])),
        body: content && resolved(content, document),
        query: named('query'),
        open: operation.security?.length === 0,
        operator: operation['x-roles']?.join() === 'operator',
      };
    }),
  );
  // Streams have no end to wait for.
  return all.filter(({ path }) => !path.endsWith('/stream'));
}

const idFor = (schema: Json | undefined) => (schema?.type === 'integer' ? '999999' : NOWHERE);

function resolved(schema: Document, document: Document): Json {
  if (Array.isArray(schema)) return schema.map((each) => resolved(each, document)) as never;
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref) return resolved(document.components.schemas[schema.$ref.split('/').at(-1)], document);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value, document)]));
}

/** Some values less than are allowed, so that the text is parsed and checked. */
const FULL = JSON_BOUNDS.values - 100;
const listOf = (count: number, item: string) =>
  `[${Array(Math.max(1, Math.floor(count)))
    .fill(item)
    .join(',')}]`;
const mapOf = (count: number, name: (i: number) => string, value = '{}') =>
  `{${Array.from({ length: Math.floor(count) }, (_each, i) => `${JSON.stringify(name(i))}:${value}`).join(',')}}`;

/** @param size bytes of the longest bodies */
export function attacksOn(operation: Operation, size: number): Attack[] {
  const { path, body } = operation;
  const ofQuery = queries(operation).map(([shape, query]) => ({ shape, path: `${path}?${query}` }));
  const ofPath = { shape: 'a long path', path: `${path}/${'x/'.repeat(6000)}` };
  if (!body) return [...ofQuery, ofPath];
  const bodies = [...general(size), ...locations(body).flatMap((location) => atLocation(location, size))];
  return [...ofQuery, ofPath, ...bodies.map(([shape, text]) => ({ shape, path, body: text }))];
}

/** Bodies that need no schema. */
function general(size: number): [shape: string, text: string][] {
  const deep = Math.floor(size / 2.1);
  return [
    ['empty', '{}'],
    ['empty objects', listOf(FULL / 2, '{}')],
    ['more empty objects than allowed', listOf(size / 3 - 10, '{}')],
    ['deep lists', '['.repeat(deep) + ']'.repeat(deep)],
    ['deep objects', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
    ['unknown fields', mapOf(Math.min(FULL / 2, size / 12), (i) => `f${i}`)],
    ['long names', mapOf(Math.floor(size / 1100), (i) => `${'n'.repeat(1000)}${i}`)],
    ['one long text', JSON.stringify('x'.repeat(size - 10))],
    ['one long number', '1'.repeat(size - 10)],
    ['spaces', `{${' '.repeat(size - 10)}`],
    ['quotes', '"\\"'.repeat(Math.floor(size / 3) - 10)],
    ['backslashes', `"${'\\'.repeat(size - 10)}`],
    ['what cannot be stored', listOf(Math.min(FULL, size / 10), '"\\u0000"')],
    ['what cannot be stored, as names', mapOf(Math.min(FULL / 2, size / 20), (i) => `\u0000${i}`)],
    ['prototypes', listOf(Math.min(FULL / 3, size / 30), '{"constructor":{}}')],
  ];
}

interface BodyLocation {
  /** What leads there, from the root: names of fields, or a list. */
  readonly keys: readonly (string | number)[];
  /** Constants of the objects on the way that choose their kind. */
  readonly kinds: readonly Json[];
  readonly schema: Json;
}

const MAX_LOCATIONS = 80;

/** Where a body may have a list, a map, a text or an object. */
function locations(
  schema: Json,
  keys: readonly (string | number)[] = [],
  kinds: readonly Json[] = [],
): BodyLocation[] {
  if (keys.length > 6) return [];
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] as Json[] | undefined) ?? []);
  const properties = Object.entries((schema.properties as Record<string, Json> | undefined) ?? {});
  const constants = Object.fromEntries(
    properties.filter(([, each]) => each.const !== undefined).map(([name, each]) => [name, each.const]),
  );
  const here = { keys, kinds, schema };
  const inner = [
    ...branches.flatMap((branch) => locations(branch, keys, kinds)),
    ...properties.flatMap(([name, each]) => locations(each, [...keys, name], [...kinds, constants])),
    ...(typeof schema.items === 'object' && schema.items
      ? locations(schema.items as Json, [...keys, 0], [...kinds, {}])
      : []),
  ];
  return [here, ...inner].slice(0, MAX_LOCATIONS);
}

function atLocation({ keys, kinds, schema }: BodyLocation, size: number): [shape: string, text: string][] {
  const types = [schema.type].flat();
  const name = keys.join('.') || 'the body';
  const filled: [string, string][] = [];
  if (types.includes('array')) {
    const item = JSON.stringify(sample((schema.items ?? {}) as Json));
    const most = Number(schema.maxItems ?? 1);
    const room = Math.floor(
      Math.min(FULL / Math.max(1, item.split(/[,{[]/).length), (size - 500) / (item.length + 1)),
    );
    filled.push([`${name}: empty objects`, listOf(Math.min(FULL / 2, size / 4), '{}')]);
    filled.push([`${name}: as many as fit`, listOf(Math.min(most, room), item)]);
    filled.push([`${name}: too many`, listOf(room, item)]);
  }
  if (types.includes('object') && (schema.properties === undefined || schema.additionalProperties)) {
    filled.push([`${name}: a wide map`, mapOf(Math.min(FULL / 2, size / 14), (i) => `k${i}`, '"v"')]);
    filled.push([`${name}: a full map`, mapOf(Number(schema.maxProperties ?? 100), (i) => `k${i}`, '"v"')]);
  }
  if (types.includes('string') && schema.enum === undefined) {
    filled.push([`${name}: a long text`, JSON.stringify(`${'a'.repeat(size - 600)}!`)]);
    filled.push([`${name}: the longest text`, JSON.stringify('1'.repeat(Number(schema.maxLength ?? 10)))]);
  }
  return filled.map(([shape, text]) => [shape, around(keys, kinds, text)]);
}

/** Wraps a value into what leads to it. */
function around(keys: readonly (string | number)[], kinds: readonly Json[], text: string): string {
  return keys.reduceRight<string>((inner, step, i) => {
    if (typeof step === 'number') return `[${inner}]`;
    const others = Object.entries(kinds[i] ?? {}).filter(([name]) => name !== step);
    const parts = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
    return `{${parts.join('')}${JSON.stringify(step)}:${inner}}`;
  }, text);
}

/** A small value that fits, or nearly does. */
export function sample(schema: Json, depth = 0): unknown {
  if (depth > 8) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const [branch] = (schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []) as Json[];
  if (branch) return sample(branch, depth + 1);
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const required = (schema.required ?? []) as string[];
      const properties = (schema.properties ?? {}) as Record<string, Json>;
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, depth + 1)]));
    }
    case 'array':
      return Array(Number(schema.minItems ?? 0)).fill(sample((schema.items ?? {}) as Json, depth + 1));
    case 'integer':
    case 'number':
      return Number(schema.minimum ?? Number(schema.exclusiveMinimum ?? 0) + 1);
    case 'boolean':
      return false;
    case 'string':
      return text(schema);
    default:
      return null;
  }
}

function text({ format, minLength }: Json): string {
  if (format === 'uuid') return NOWHERE;
  if (format === 'email') return 'somebody@virga.test';
  if (format === 'ip-network') return '10.0.0.0/24';
  if (String(format).startsWith('ip')) return '10.0.0.1';
  return 'name'.padEnd(Number(minLength ?? 0), 'x');
}

/** Of a request line and headers together. */
const QUERY_ROOM = 14_000;

function queries({ query }: Operation): [shape: string, query: string][] {
  const known = Object.entries(query).flatMap(([name, schema]): [string, string][] => {
    const repeated = [schema.type].flat().includes('array');
    const value = sample((schema.items ?? schema) as Json);
    const once = `${name}=${encodeURIComponent(String(value))}`;
    const deep = `${name}=${'['.repeat(QUERY_ROOM - name.length)}`;
    return [
      [`query ${name}, long`, `${name}=${'%22'.repeat(QUERY_ROOM / 3 - name.length)}`],
      ...(repeated
        ? ([[`query ${name}, often`, `${once}&`.repeat(Math.max(1, QUERY_ROOM / once.length - 1))]] as const)
        : []),
      ...(name.includes('value') ? ([[`query ${name}, deep`, deep]] as const) : []),
    ] as [string, string][];
  });
  return [['query of many names', Array.from({ length: 2000 }, (_each, i) => `q${i}=`).join('&')], ...known];
}
