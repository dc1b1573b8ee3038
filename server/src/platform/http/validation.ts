import type { TSchema } from '@sinclair/typebox';
import { _, Ajv2020, type ErrorObject, type KeywordCxt, type ValidateFunction } from 'ajv/dist/2020.js';
import { readTime, TIME_PATTERN } from '../../kernel/codecs.ts';
import { Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { isUuid } from '../../kernel/ids.ts';
import { isIpAddress, isIpNetwork, isIpv4Address } from '../../kernel/ip.ts';
import { mapSchema } from './bounds.ts';
import { onlyNamed } from './named.ts';
import { describe } from './validation-words.ts';

type Location = Invalid['location'];

/** Checks values against schemas: all faults at once, defaults filled in, validators compiled on first use
 *  (compiling those of every operation at the start would cost a second and memory; see compile-ahead.ts for the
 *  large ones). */
export class Validator {
  /** Returns the value with defaults filled in, that of the whole schema for none at all, and without fields that the
   *  schema does not name. Text from a path or query becomes what its schema asks for.
   *  @throws Invalid naming every faulty field */
  check(schema: TSchema, given: unknown, location: Location): unknown {
    const validate = this.prepare(schema, location);
    const value = given === undefined ? structuredClone(schema.default) : given;
    const holder = { value: value === undefined ? null : value };
    if (value === undefined) throw new Invalid({ [location]: ['is required'] }, location);
    if (validate(holder.value)) return onlyNamed(schema, holder.value);
    throw faultsOf(validate.errors ?? [], { location, schema: validate.schema, given: holder.value });
  }

  /** The first few faults of a value, or nothing; for checking our own responses. */
  faults(schema: TSchema, value: unknown): string | undefined {
    const validate = this.prepare(schema, 'body');
    if (validate(structuredClone(value))) return undefined;
    return (validate.errors ?? [])
      .slice(0, 5)
      .map((e) => `${e.instancePath || '/'} ${e.message}`)
      .join('; ');
  }

  /** Compiles the check of a schema, if it is not compiled yet. @returns its program */
  prepare(schema: TSchema, location: Location): ValidateFunction {
    const { ajv, compiled } = location === 'body' ? BODIES : TEXTS;
    const known = compiled.get(schema);
    if (known) return known;
    const checked = forValidation(schema);
    const program = ajv.compile(checked);
    // It would keep both for ever.
    ajv.removeSchema(checked);
    compiled.set(schema, program);
    return program;
  }
}

/** A validator stops here: what is wrong with a value that has as many faults is clear by then. */
export const FAULTS_LOOKED_FOR = 2000;
const LIMIT_FAULTS = 'limitFaults';

function newAjv(coerceTypes: false | 'array'): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    coerceTypes,
    useDefaults: true,
    strict: false,
    discriminator: true,
    ownProperties: true,
    // Schemas are ours, and most of the time to compile one is spent on these three.
    validateSchema: false,
    meta: false,
    code: { optimize: false },
  });
  for (const [name, check] of Object.entries(FORMATS)) ajv.addFormat(name, check);
  ajv.addKeyword({ keyword: LIMIT_FAULTS, code: limitFaults });
  ajv.addKeyword({ keyword: LONGEST_LIST, type: 'array', before: 'items', code: endAtLongList });
  return ajv;
}

/** Ends the generated function once enough is wrong: it would go on through the rest of a list. The names are those
 *  of its variables. */
function limitFaults({ gen, it }: KeywordCxt): void {
  gen.if(_`errors >= ${FAULTS_LOOKED_FOR}`, () => {
    gen.assign(_`${it.validateName}.errors`, _`vErrors`);
    gen.return(false);
  });
}

/** A list that is too long is refused for that alone from so many items on: looking at each would take long, and right
 *  ones are no faults that end it. */
const LONG_LIST = 500;
const LONGEST_LIST = 'longestList';

function endAtLongList({ gen, it, data, schema }: KeywordCxt): void {
  gen.if(_`${data}.length > ${Math.max(LONG_LIST, Number(schema))}`, () => {
    gen.assign(_`${it.validateName}.errors`, _`vErrors`);
    gen.return(false);
  });
}

const TIME = new RegExp(TIME_PATTERN);
const EMAIL = /^[^\s@<>()[\]\\,;:"]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  timestamp: isRealTime,
  'date-time': isRealTime,
  email: (text) => text.length <= 254 && EMAIL.test(text),
  ipv4: isIpv4Address,
  ipv6: (text) => isIpAddress(text) && text.includes(':'),
  'ip-address': isIpAddress,
  'ip-network': isIpNetwork,
  uri: (text) => URL.canParse(text),
  // Says how to show it, nothing about its text.
  password: () => true,
};

/** Schemas are constants: a process that serves more than one API compiles them once. */
const BODIES = { ajv: newAjv(false), compiled: new WeakMap<TSchema, ValidateFunction>() };
/** Of paths, queries and headers. */
const TEXTS = { ajv: newAjv('array'), compiled: new WeakMap<TSchema, ValidateFunction>() };

/** Of a text that has the form of a time, whether it is one. The form is judged by the schema's pattern, which every
 *  time of a request has (`DateTime`). */
function isRealTime(text: string): boolean {
  return !TIME.test(text) || readTime(text) !== undefined;
}

/** `$id`s name schemas in the document; to the validator, which sees nested copies, they would be duplicates. */
function forValidation(schema: TSchema): TSchema {
  const { discriminator, oneOf } = schema;
  // Not within: it would make large checks larger.
  const ofRoot = discriminator && oneOf ? ofUnknownKind(discriminator.propertyName, oneOf) : {};
  return mapSchema({ ...schema, ...ofRoot } as TSchema, ({ $id, ...node }) => ({
    ...node,
    ...(node.properties ? togetherWhenAlike(node.properties as Fields) : {}),
    [LIMIT_FAULTS]: true,
    ...(node.maxItems === undefined ? {} : { [LONGEST_LIST]: node.maxItems }),
  })) as TSchema;
}

type Fields = Readonly<Record<string, object>>;

interface Kind {
  readonly properties?: Fields;
  readonly required?: readonly string[];
}

/** Where nobody knows which kind of object it is, what all kinds say of a field is checked alone. */
function ofUnknownKind(kind: string, [first, ...others]: readonly Kind[]): object {
  const known = [first, ...others].flatMap((each) => {
    const tag = each?.properties?.[kind] as { const?: unknown; enum?: readonly unknown[] } | undefined;
    return tag?.enum ?? [tag?.const];
  });
  const fields = Object.entries(first?.properties ?? {}).filter(
    ([name, field]) =>
      !('default' in field) &&
      others.every(({ properties }) => JSON.stringify(properties?.[name]) === JSON.stringify(field)),
  );
  const required = (first?.required ?? []).filter(
    (name) => name !== kind && others.every((each) => each.required?.includes(name)),
  );
  return {
    if: { type: 'object', not: { required: [kind], properties: { [kind]: { enum: known } } } },
    // biome-ignore lint/suspicious/noThenProperty: the name of a keyword of JSON Schema
    then: { properties: Object.fromEntries(fields), required },
  };
}

/** So many fields with the same schema are checked by one program: quotas have over a hundred, and compiling each
 *  would hold up everybody. */
const MANY_ALIKE = 8;

function togetherWhenAlike(properties: Fields): object {
  const bySchema = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(properties)) {
    // A default is filled in for fields that are named one by one alone.
    if ('default' in schema || !/^\w+$/.test(name)) continue;
    const key = JSON.stringify(schema);
    bySchema.set(key, [...(bySchema.get(key) ?? []), name]);
  }
  const alike = [...bySchema.values()].filter((names) => names.length >= MANY_ALIKE);
  if (alike.length === 0) return {};
  const patterns = alike.map((names) => [`^(?:${names.join('|')})$`, properties[names[0] ?? '']]);
  const apart = Object.entries(properties).filter(([name]) => !alike.some((names) => names.includes(name)));
  return { properties: Object.fromEntries(apart), patternProperties: Object.fromEntries(patterns) };
}

interface Checked {
  readonly location: Location;
  readonly schema: unknown;
  readonly given: unknown;
}

function faultsOf(errors: readonly ErrorObject[], { location, schema, given }: Checked): Invalid {
  const isNoise = noiseOf(errors);
  const faults = new Faults();
  const said = new Set<string>();
  for (const error of errors) {
    if (isNoise(error)) continue;
    if (faults.isFull) faults.add('', '');
    else {
      const [field, message] = describe(error, location, schema, given);
      const key = `${field}\n${message}`;
      if (!said.has(key)) faults.add(field, message);
      said.add(key);
    }
  }
  if (!faults.any) faults.add(location, 'is not valid');
  return faults.toError(location);
}

/** Of a value that may be one thing or null, the faults of the one thing are enough; of one that may be several
 *  kinds of object, those of the kind that its constants name. Faults are judged by their place in the schema, of
 *  which there are few, however many faults there are. */
function noiseOf(all: readonly ErrorObject[]): (error: ErrorObject) => boolean {
  const seen = new Map<string, { keyword: string; times: number }>();
  for (const { schemaPath, keyword } of all) {
    const known = seen.get(schemaPath);
    if (known) known.times += 1;
    else seen.set(schemaPath, { keyword, times: 1 });
  }
  const paths = [...seen.keys()];
  const wrongConstants = paths.filter((path) => seen.get(path)?.keyword === 'const');
  const judged = new Map<string, boolean>();
  const judge = (path: string, keyword: string): boolean => {
    // What follows from it has faults of its own.
    if (keyword === 'if') return true;
    if (keyword === 'anyOf' || keyword === 'oneOf') {
      return (
        (seen.get(path)?.times ?? 0) > 1 || paths.some((other) => other !== path && other.startsWith(path))
      );
    }
    if (keyword === 'propertyNames') return true;
    const branch = BRANCH.exec(path);
    return branch !== null && isOtherKind(branch, paths, wrongConstants);
  };
  return ({ schemaPath, keyword, params }) => {
    if (keyword === 'type' && params.type === 'null') return all.length > 1;
    const known = judged.get(schemaPath) ?? judge(schemaPath, keyword);
    judged.set(schemaPath, known);
    return known;
  };
}

const BRANCH = /^(.*\/oneOf\/)\d+\//;

/** Whether a constant of this branch is not the value's, while those of another branch are. */
function isOtherKind(
  [branch, choice]: readonly string[],
  paths: readonly string[],
  wrong: readonly string[],
): boolean {
  if (!branch || !choice || !wrong.some((path) => path.startsWith(branch))) return false;
  return paths.some((path) => {
    const other = BRANCH.exec(path);
    return other?.[1] === choice && !wrong.some((each) => each.startsWith(other[0]));
  });
}
