import type { Route } from '../http/route.ts';

/** The headers of requests and answers, each said in one place of the document. Their names are spelt as Go does. */

const integer = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });
const onlyText = (description: string, text: string) => ({
  description,
  schema: { type: 'string', enum: [text] },
});

export const HEADER_COMPONENTS = {
  'Idempotency-Replayed': onlyText('The call was done before, and this is its answer', 'true'),
  'Retry-After': integer('Seconds until the same call may succeed'),
  'X-Ratelimit-Limit': integer('Requests that may be made in a minute, where they are limited'),
  'X-Ratelimit-Remaining': integer('Requests that are left of this minute'),
  'X-Ratelimit-Reset': integer('Seconds until the next minute begins'),
  'X-Request-Id': { description: 'Names the request in the log', schema: { type: 'string' } },
  'X-Should-Retry': onlyText('Repeating the call is pointless', 'false'),
};

export type HeaderName = keyof typeof HEADER_COMPONENTS;

/** What any answer may have. */
export const COMMON_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'X-Ratelimit-Limit',
  'X-Ratelimit-Remaining',
  'X-Ratelimit-Reset',
];

export const PARAMETER_COMPONENTS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Visible ASCII characters. Repeated with the same key and body within a day, the call is done once, and has the ' +
      'first answer again',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

/** The parameter of a call that may be repeated safely. */
export const KEY_PARAMETER = { $ref: '#/components/parameters/IdempotencyKey' };

/** Whether a key makes this call safe to repeat: it changes something, and a caller is known. */
export const takesKey = ({ method, access }: Route['spec']): boolean =>
  method !== 'GET' && typeof access !== 'object';

/** The headers of an answer of success. */
export const answerHeaders = (spec: Route['spec']) =>
  headersOf(takesKey(spec) ? [...COMMON_HEADERS, 'Idempotency-Replayed'] : COMMON_HEADERS);

/** References to these headers. */
export const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
