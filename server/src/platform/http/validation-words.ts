import type { ErrorObject } from 'ajv';
import type { Invalid } from '../../kernel/errors.ts';
import { DAY_RULE, networkRule, UUID_RULE } from '../../kernel/rules.ts';
import { patternRule } from './patterns.ts';

/** What a validator finds, in words for people: the faulty field, and what it must be. */

const FORMAT_RULES: Readonly<Record<string, string>> = {
  timestamp: DAY_RULE,
  uuid: UUID_RULE,
  email: 'must be an email address',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  'ip-address': 'must be an IP address',
  uri: 'must be a URL, such as https://example.com/',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

type Params = ErrorObject['params'];

const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`;
const COMPARED: Readonly<Record<string, (limit: number) => string>> = {
  '>=': (limit) => `must be ${limit} or more`,
  '<=': (limit) => `must be ${limit} or less`,
  '>': (limit) => `must be more than ${limit}`,
  '<': (limit) => `must be less than ${limit}`,
};
const compared = ({ comparison, limit }: Params) => COMPARED[comparison]?.(limit) ?? 'is out of bounds';

/** By the keyword of a schema that a value breaks. */
const RULES: Readonly<Record<string, (params: Params) => string>> = {
  enum: ({ allowedValues }) =>
    `must be one of: ${allowedValues.filter((value: unknown) => value !== null).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  format: ({ format }) => FORMAT_RULES[format] ?? `must be a valid ${format}`,
  pattern: ({ pattern }) => patternRule(pattern),
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((each) => TYPES[each] ?? each)
      .join(' or ')}`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${count(limit, 'item')}`),
  maxItems: ({ limit }) => (limit === 0 ? 'must be empty' : `must have at most ${count(limit, 'item')}`),
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  minProperties: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${count(limit, 'field')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'field')}`,
  minimum: compared,
  maximum: compared,
  exclusiveMinimum: compared,
  exclusiveMaximum: compared,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  uniqueItems: ({ i, j }) => `must not have the same item twice (items ${j} and ${i})`,
};

const NO_FORM = 'has none of the forms that are allowed here';

/** @param schema that which the value was checked against
 *  @param given the value
 *  @returns the dotted name of the field, and what to say of it */
export function describe(
  error: ErrorObject,
  location: Invalid['location'],
  schema: unknown,
  given: unknown,
): [string, string] {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const { keyword, params } = error;
  if (keyword === 'required') return [[...path, params.missingProperty].join('.'), 'is required'];
  if (keyword === 'additionalProperties') {
    return [[...path, params.additionalProperty].join('.'), 'is not a known field'];
  }
  if (keyword === 'discriminator') {
    const kinds = kindsAt(schema, error.schemaPath, params.tag);
    return [[...path, params.tag].join('.'), `must be one of: ${kinds.join(', ')}`];
  }
  if (keyword === 'format' && params.format === 'ip-network') {
    return [path.join('.') || location, networkRule(valueAt(given, path))];
  }
  return [path.join('.') || location, RULES[keyword]?.(params) ?? NO_FORM];
}

const valueAt = (given: unknown, path: readonly string[]): unknown =>
  path.reduce((parent, name) => (parent as Node)?.[name], given);

type Node = Readonly<Record<string, unknown>> | undefined;

/** The values of a tag that tells kinds of objects apart, by where the schema says that it does. */
function kindsAt(schema: unknown, schemaPath: string, tag: string): readonly unknown[] {
  const names = schemaPath.split('/').slice(1, -1).map(unescapePointer);
  const node = names.reduce((parent, scope) => parent?.[scope] as Node, schema as Node);
  const kinds = (node?.oneOf ?? []) as readonly { properties?: Readonly<Record<string, Node>> }[];
  return kinds.flatMap(({ properties }) => properties?.[tag]?.const ?? properties?.[tag]?.enum ?? []);
}

const unescapePointer = (part: string) => part.replace(/~1/g, '/').replace(/~0/g, '~');
