import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ipaddr from 'ipaddr.js';
import { readTime } from '../../kernel/codecs.ts';
import { Invalid } from '../../kernel/errors.ts';
import { patternRule } from './patterns.ts';

type Location = Invalid['location'];

/** Checks values against schemas: all faults at once, defaults filled in, validators compiled on first use
 *  (compiling those of every operation at the start would cost seconds and memory). */
export class Validator {
  readonly #strict = newAjv(false);
  readonly #coercing = newAjv('array');
  readonly #compiled = new WeakMap<TSchema, ValidateFunction>();

  /** Returns the value with defaults filled in, that of the whole schema for none at all. Text from a path or
   *  query becomes what its schema asks for.
   *  @throws Invalid naming every faulty field */
  check(schema: TSchema, given: unknown, location: Location): unknown {
    const validate = this.#validator(schema, location);
    const value = given === undefined ? structuredClone(schema.default) : given;
    const holder = { value: value === undefined ? null : value };
    if (value === undefined) throw new Invalid({ [location]: ['is required'] }, location);
    if (validate(holder.value)) return holder.value;
    throw new Invalid(fieldsOf(validate.errors ?? [], location), location);
  }

  /** The first few faults of a value, or nothing; for checking our own responses. */
  faults(schema: TSchema, value: unknown): string | undefined {
    const validate = this.#validator(schema, 'body');
    if (validate(structuredClone(value))) return undefined;
    return (validate.errors ?? [])
      .slice(0, 5)
      .map((e) => `${e.instancePath || '/'} ${e.message}`)
      .join('; ');
  }

  #validator(schema: TSchema, location: Location): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known) return known;
    const ajv = location === 'body' ? this.#strict : this.#coercing;
    const compiled = ajv.compile(withoutIds(schema));
    this.#compiled.set(schema, compiled);
    return compiled;
  }
}

function newAjv(coerceTypes: false | 'array'): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    coerceTypes,
    useDefaults: true,
    strict: false,
    discriminator: true,
    verbose: true,
    ownProperties: true,
  });
  for (const [name, check] of Object.entries(FORMATS)) ajv.addFormat(name, check);
  return ajv;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)?$/;
const EMAIL = /^[^\s@<>()[\]\\,;:"]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => UUID.test(text),
  'date-time': isDateTime,
  email: (text) => text.length <= 254 && EMAIL.test(text),
  ipv4: ipaddr.IPv4.isValidFourPartDecimal,
  ipv6: (text) => isIpAddress(text) && text.includes(':'),
  'ip-address': isIpAddress,
  'ip-network': isIpNetwork,
  uri: (text) => URL.canParse(text),
  // Says how to show it, nothing about its text.
  password: () => true,
};

function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text);
  if (!parts || Number(parts[1]) === 0) return false;
  if (!readTime(text)) return false;
  const day = Number(parts[3]);
  return day >= 1 && day <= new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate();
}

export function isIpAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));
}

export function isIpNetwork(text: string): boolean {
  if (isIpAddress(text)) return true;
  const [address, bits] = text.split('/');
  if (!address || !bits || !isIpAddress(address) || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

/** `$id`s name schemas in the document; to the validator, which sees nested copies, they would be duplicates. */
function withoutIds(schema: unknown): TSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === '$id' && typeof value === 'string' ? undefined : value)),
  ) as TSchema;
}

function fieldsOf(errors: readonly ErrorObject[], location: Location): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  for (const error of errors) {
    if (isNoise(error, errors)) continue;
    const [field, message] = describe(error, location);
    const messages = fields[field] ?? [];
    if (!messages.includes(message)) messages.push(message);
    fields[field] = messages;
  }
  return Object.keys(fields).length > 0 ? fields : { [location]: ['is not valid'] };
}

/** Of a value that may be one thing or null, the faults of the one thing are enough; of one that may be several
 *  kinds of object, those of the kind that its constants name. */
function isNoise(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  const combinator = error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'if';
  if (combinator)
    return all.some((other) => other !== error && other.schemaPath.startsWith(error.schemaPath));
  if (error.keyword === 'type' && error.params.type === 'null') return all.length > 1;
  if (error.keyword === 'propertyNames') return true;
  const branch = BRANCH.exec(error.schemaPath);
  if (branch) return isOtherKind(branch, all);
  return false;
}

const BRANCH = /^(.*\/oneOf\/)\d+\//;

/** Whether a constant of this branch is not the value's, while those of another branch are. */
function isOtherKind([branch, choice]: readonly string[], all: readonly ErrorObject[]): boolean {
  const wrong = all.filter(({ keyword }) => keyword === 'const').map(({ schemaPath }) => schemaPath);
  if (!branch || !choice || !wrong.some((path) => path.startsWith(branch))) return false;
  return all.some(({ schemaPath }) => {
    const other = BRANCH.exec(schemaPath);
    return other?.[1] === choice && !wrong.some((path) => path.startsWith(other[0]));
  });
}

function describe(error: ErrorObject, location: Location): [string, string] {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  switch (error.keyword) {
    case 'required':
      return [[...path, error.params.missingProperty].join('.'), 'is required'];
    case 'additionalProperties':
      return [[...path, error.params.additionalProperty].join('.'), 'is not a known field'];
    case 'enum':
      return [
        path.join('.') || location,
        `must be one of: ${error.params.allowedValues.filter((v: unknown) => v !== null).join(', ')}`,
      ];
    case 'const':
      return [path.join('.') || location, `must be ${JSON.stringify(error.params.allowedValue)}`];
    case 'discriminator':
      return [[...path, error.params.tag].join('.'), 'must be one of the known kinds'];
    case 'format':
      return [path.join('.') || location, `must be a valid ${error.params.format}`];
    case 'pattern':
      return [path.join('.') || location, patternRule(error.params.pattern)];
    case 'type':
      return [path.join('.') || location, `must be ${[error.params.type].flat().join(' or ')}`];
    default:
      return [path.join('.') || location, error.message ?? 'is not valid'];
  }
}

const unescapePointer = (part: string) => part.replace(/~1/g, '/').replace(/~0/g, '~');
