import { LISTS, NOUNS, type Noun, VERBS } from './nouns.ts';
import type { ArgumentRow, FlagRow, OperationRow, Table } from './shapes.ts';

/** Makes the table of the command from the OpenAPI document. Runs when the document changes, not in the command. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly contentMediaType?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly $ref?: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Parts of paths that the command fills in by itself. */
const SCOPES = new Set(['project_id', 'region_id', 'client_id', 'clientId']);
/** Verbs beside `delete` that stop traffic or lose data. */
const RISKY =
  /^(act$|stop|suspend|reboot|power-cycle|revert|detach|remove|fail-over|end-|clear|restore|change-flavor)/;

/** @throws when an operation belongs to no noun, or two of them have one verb */
export function makeTable(document: Document): Table {
  const maker = new Maker(document);
  const operations = maker.operations();
  const seen = new Map<string, string>();
  for (const { noun, verb, id } of operations) {
    const name = `${noun} ${verb}`;
    if (seen.has(name))
      throw new Error(`${id} and ${seen.get(name)} are both called "${name}": name one in VERBS`);
    seen.set(name, id);
  }
  return { nouns: NOUNS.map(({ noun, group, means }) => ({ noun, group, means })), operations };
}

class Maker {
  readonly #document: Document;
  /** Lists by their path without its version, so that an older list serves newer paths. */
  readonly #lists = new Map<string, string>();

  constructor(document: Document) {
    this.#document = document;
    for (const [path, methods] of Object.entries(document.paths)) {
      const { get } = methods;
      if (get && !get.deprecated && get.operationId.startsWith('list'))
        this.#lists.set(unversioned(path), get.operationId);
    }
  }

  operations(): readonly OperationRow[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#row(method.toUpperCase(), path, operation)),
    );
  }

  #row(method: string, path: string, operation: Operation): OperationRow {
    const { operationId: id, summary, deprecated, parameters = [] } = operation;
    const noun = nounOf(path);
    const verb = verbOf(id, noun);
    const args = parameters
      .filter((each) => each.in === 'path' && !isScope(path, each.name))
      .map((each) => this.#argument(path, each));
    const body = this.#body(operation);
    const query = parameters
      .filter((each) => each.in === 'query')
      .map((each) =>
        this.#flag(
          each.name,
          'query',
          { ...each.schema, description: each.description ?? '' },
          each.required,
        ),
      );
    const answers = Object.values(operation.responses)[0]?.content ?? {};
    return {
      id,
      noun: noun.noun,
      verb,
      method,
      path,
      means: summary,
      args,
      flags: [...query, ...body.flags],
      ...(deprecated && { old: true }),
      ...((method === 'DELETE' || (method !== 'GET' && RISKY.test(verb))) && { risky: true }),
      ...(body.form && { body: body.form }),
      ...('text/event-stream' in answers && { stream: true }),
    };
  }

  #argument(path: string, { name, schema }: Parameter): ArgumentRow {
    const before = path.slice(0, path.indexOf(`/{${name}}`));
    const list = this.#lists.get(unversioned(before)) ?? LISTS[name];
    const kind = schema.format === 'uuid' ? 'uuid' : schema.type === 'integer' ? 'integer' : 'string';
    return { name, kind, ...(kind !== 'string' && list && { list }) };
  }

  #body({ requestBody }: Operation): {
    readonly form?: 'object' | 'any';
    readonly flags: readonly FlagRow[];
  } {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return { flags: [] };
    const { properties, required } = this.#fields(schema);
    const flags = Object.entries(properties).map(([name, each]) =>
      this.#flag(name, 'body', each, required.has(name)),
    );
    return { form: flags.length > 0 ? 'object' : 'any', flags };
  }

  /** Fields of an object, or of all its variants; needed is what each variant needs. */
  #fields(schema: Schema): { properties: Record<string, Schema>; required: Set<string> } {
    const { properties = {}, required = [], oneOf = [], anyOf = [] } = this.#resolved(schema);
    const variants = [...oneOf, ...anyOf].map((each) => this.#fields(each));
    const all = { ...Object.assign({}, ...variants.map((each) => each.properties)), ...properties };
    const needed = variants.map((each) => each.required);
    const common = [...(needed[0] ?? [])].filter((name) => needed.every((names) => names.has(name)));
    return { properties: all, required: new Set([...required, ...common]) };
  }

  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.#resolved(this.#document.components.schemas[name] ?? {});
  }

  #flag(name: string, where: 'query' | 'body', schema: Schema, needed = false): FlagRow {
    const means = schema.description ?? this.#resolved(schema).description ?? '';
    const plain = this.#plain(schema);
    const isMany = plain.type === 'array';
    const item = isMany ? this.#plain(plain.items ?? {}) : plain;
    const kind = kindOf(item);
    const values = (item.enum ?? []).filter((each) => each !== null).map(String);
    const list = kind === 'string' ? listOf(name.replace(/_ids$/, '_id')) : undefined;
    return {
      name,
      in: where,
      kind,
      means: means.replace(/ Default: .*$/s, '').trim(),
      ...(isMany && kind !== 'json' && { many: true }),
      ...(needed && { needed: true }),
      ...(values.length > 0 && kind !== 'json' && { values }),
      ...(list && { list }),
    };
  }

  /** Without null, and of several forms the first that is more than a constant. */
  #plain(schema: Schema): Schema {
    const resolved = this.#resolved(schema);
    const variants = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])].map((each) => this.#plain(each));
    if (variants.length > 0)
      return (
        variants.find(({ format }) => format) ??
        (variants.every(({ type }) => type === 'object') ? { type: 'object' } : (variants[0] ?? {}))
      );
    const types = [resolved.type ?? []].flat().filter((type) => type !== 'null');
    return { ...resolved, ...(types[0] && { type: types[0] }) };
  }
}

function kindOf({ type, additionalProperties, properties }: Schema): FlagRow['kind'] {
  if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean') return type;
  const isText =
    typeof additionalProperties === 'object' && [additionalProperties.type].flat().includes('string');
  return type === 'object' && !properties && isText ? 'pairs' : 'json';
}

/** What the command fills in by itself, where it is not what the call is about. */
const isScope = (path: string, name: string): boolean =>
  SCOPES.has(name) && !new RegExp(`/(projects|regions|virga/v1/clients)/\\{${name}\\}`).test(path);

const listOf = (name: string): string | undefined =>
  Object.entries(LISTS).find(([end]) => name === end || name.endsWith(`_${end}`))?.[1];

const unversioned = (path: string): string =>
  path.replace(/\/v\d\//, '/').replaceAll('security_groups', 'securitygroups');

function nounOf(path: string): Noun {
  const parts = path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{') && !/^v\d$/.test(part) && part !== 'public');
  const whole = parts.join('/');
  const forms = [whole, whole.replace(/^(cloud|iam|virga|waap|storage)\//, '')];
  const found = NOUNS.flatMap((noun) => noun.paths.map((each) => ({ noun, each })))
    .filter(({ each }) => forms.some((form) => form === each || form.startsWith(`${each}/`)))
    .sort((a, b) => b.each.length - a.each.length)[0];
  if (!found) throw new Error(`${path} belongs to no noun of the command: add it to cli/src/table/nouns.ts`);
  return found.noun;
}

/** The operation's name without its noun: `listLoadBalancers` is `list`, `addVolumesToLifecyclePolicy` is
 *  `add-volumes`. */
function verbOf(id: string, { names }: Noun): string {
  const given = VERBS[id];
  if (given) return given;
  const [, name = id, version = ''] = /^(.*?)(V\d)?$/.exec(id) ?? [];
  const short = names.reduce((text, each) => (text === name ? without(text, each) : text), name);
  return kebab(short) + (version && `-${version.toLowerCase()}`);
}

const without = (text: string, name: string): string =>
  text
    .replace(new RegExp(`(?:To|From|Of|For|On)${name}s?$`), '')
    .replace(new RegExp(`(?<=[a-z])${name}s?(?=[A-Z]|$)`), '');

const kebab = (text: string): string =>
  text.replace(/[A-Z]+(?=[A-Z][a-z])|[A-Z]/g, (part, at) => `${at > 0 ? '-' : ''}${part.toLowerCase()}`);
