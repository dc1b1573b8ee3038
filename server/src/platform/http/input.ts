import { Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { withoutEmpty } from './empty.ts';
import { refuseUnstorable } from './json.ts';
import { readableBody, readableQuery } from './lenient.ts';
import type { Route } from './route.ts';
import { unknownFields, unknownParameters } from './strict.ts';
import type { Validator } from './validation.ts';

/** What a request gives to its operation: read once, and refused once with everything that is wrong with it. */

export interface Given {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface Requested {
  readonly request: Given & { readonly url: string };
  /** Names that the operation does not know are faults too, and so are numbers and booleans in other spellings. */
  readonly strict: boolean;
}

type Spec = Route['spec'];
const NO_FIELDS = { type: 'object', properties: {} };

/** @returns path, query and body with their defaults, as far as the operation has them
 *  @throws Invalid naming every faulty field of all three */
export async function readInput(
  validator: Validator,
  spec: Spec,
  { request, strict }: Requested,
): Promise<Given> {
  if (/%00/.test(request.url)) refuseNul(request);
  const found: Invalid[] = [];
  const params = spec.params && checked(validator, spec.params, request.params, { location: 'path', found });
  const unknownNames = strict ? unknownParameters(spec.query, request.query) : undefined;
  const query =
    spec.query || unknownNames
      ? checked(validator, spec.query, readableQuery(spec.query, request.query, !strict), {
          location: 'query',
          found,
          others: unknownNames,
        })
      : undefined;
  const body = spec.body && (await checkedBody(validator, spec, { request, strict }, found));
  const fields = strict && !spec.body ? unknownFields(NO_FIELDS, request.body) : undefined;
  if (fields?.any) found.push(fields.toError('body'));
  refuse(found);
  return { params, query, body };
}

interface CheckOptions {
  readonly location: Invalid['location'];
  /** Where the faults go. */
  readonly found: Invalid[];
  /** What else is known to be wrong there. */
  readonly others?: Faults | undefined;
}

function checked(
  validator: Validator,
  schema: Spec['body'],
  given: unknown,
  { location, found, others = new Faults() }: CheckOptions,
): unknown {
  const value = schema && others.try(() => validator.check(schema, given, location));
  if (others.any) found.push(others.toError(location));
  return value;
}

/** Faults that the schema finds, those that only the feature can see, and unknown names. */
async function checkedBody(
  validator: Validator,
  spec: Spec,
  { request, strict }: Requested,
  found: Invalid[],
): Promise<unknown> {
  const full = spec.emptyIsGiven
    ? request.body
    : withoutEmpty(spec.body as never, request.body, spec.method === 'PATCH');
  const given = strict ? full : readableBody(spec.body as never, full);
  const others = strict ? unknownFields(spec.body, request.body) : new Faults();
  const own = given === undefined ? {} : ((await spec.bodyFaults?.(given)) ?? {});
  others.addAll(new Invalid(own));
  const value = spec.body && others.try(() => validator.check(spec.body as never, given, 'body'));
  if (spec.rules && (others.any || found.length > 0)) addBrokenRules(spec.rules, given, others);
  if (others.any) found.push(others.toError('body'));
  return value;
}

/** Adds what else is wrong with a body that is refused: of its right fields alone, so that nothing is said that only
 *  follows from another fault. */
function addBrokenRules(rules: NonNullable<Spec['rules']>, given: unknown, others: Faults): void {
  const { fields: named, unnamed: left } = others.toError();
  const wrong = new Set(Object.keys(named).map(topLevel));
  // Then nobody knows which fields are right.
  if (left > 0 || wrong.has('body') || !isObject(given)) return;
  const right = Object.entries(given).filter(([name]) => !wrong.has(name));
  const broken = new Faults();
  rules(Object.fromEntries(right) as never, broken);
  const { fields, unnamed } = broken.toError();
  const more = Object.entries(fields).filter(([field]) => !wrong.has(topLevel(field)));
  others.addAll({ fields: Object.fromEntries(more), unnamed });
}

const isObject = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

const topLevel = (field: string): string => field.split('.', 1)[0] ?? field;

function refuse(found: readonly Invalid[]): void {
  const [first, second] = found;
  if (!first) return;
  if (!second) throw first;
  const all = new Faults();
  for (const each of found) all.addAll(each);
  const { fields, unnamed } = all.toError();
  throw new Invalid(fields, first.location, unnamed, found);
}

/** PostgreSQL cannot store NUL, in a path or query as little as in a body. */
function refuseNul(request: Given): void {
  refuseUnstorable(request.params, 'path');
  refuseUnstorable(request.query, 'query');
}
