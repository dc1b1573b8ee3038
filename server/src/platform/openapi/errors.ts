import type { TSchema } from '@sinclair/typebox';
import { ERROR_DIALECTS, type ErrorDialect } from '../http/error-schemas.ts';
import { type Dialect, dialectOf } from '../http/errors.ts';
import type { Route } from '../http/route.ts';
import { COMMON_HEADERS, type HeaderName, headersOf } from './headers.ts';

type Json = Record<string, unknown>;

/** Which errors an operation may answer with, besides those that any may (they are its `default`). */
export function errorStatuses({ scope, spec }: Route): number[] {
  const dialect = dialectOf(spec.path);
  const { invalid } = ERROR_DIALECTS[dialect];
  const guarded = typeof spec.access !== 'object';
  const statuses = [
    ...(spec.body ? [400] : []),
    ...(spec.params || spec.query || spec.body ? [invalid] : []),
    // Signing in is open to everybody, and refuses tokens that it is given.
    ...(guarded || dialect === 'iam' ? [401] : []),
    ...(guarded ? [403] : []),
    ...(spec.params || scope !== 'none' ? [404] : []),
    ...(guarded && spec.method !== 'GET' ? [409] : []),
    429,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** Adds the error responses of an operation to the components, and answers references to them. */
export function errorResponses(route: Route, components: Json, lift: (schema: TSchema) => unknown): Json {
  const dialect = dialectOf(route.spec.path);
  const entries = [...errorStatuses(route), 'default' as const].map((status) => {
    const name = `${NAMES[dialect]}${TITLES[status] ?? 'Error'}`;
    components[name] ??= response(ERROR_DIALECTS[dialect], status, lift);
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(entries);
}

const NAMES: Readonly<Record<Dialect, string>> = {
  cloud: 'Cloud',
  iam: 'Account',
  waap: 'Problem',
  storage: 'Storage',
  video: 'VideoToken',
};

type Status = number | 'default';

const TITLES: Readonly<Partial<Record<Status, string>>> = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Invalid',
  429: 'TooManyRequests',
};

const DESCRIPTIONS: Readonly<Record<Status, string>> = {
  400: 'The request cannot be read, or some of its fields are not valid',
  401: 'The token is missing, unknown or expired',
  403: 'The role of the token does not allow the call, a quota would be exceeded, or the region refuses it',
  404: 'There is nothing of this name that belongs to the caller',
  409: 'The state of things does not allow it: with Retry-After it will, with x-should-retry: false it will not by waiting',
  422: 'Some fields of the request are not valid',
  429: 'Too many requests',
  default: 'Anything else that is wrong',
};

/** Beside those that every answer has. */
const HEADERS: Readonly<Partial<Record<Status, readonly HeaderName[]>>> = {
  409: ['Retry-After', 'X-Should-Retry'],
  422: ['X-Should-Retry'],
  429: ['Retry-After'],
  default: ['Retry-After'],
};

function response(dialect: ErrorDialect, status: Status, lift: (schema: TSchema) => unknown): Json {
  const { schema, refusal, forbidden } = dialect;
  const body = status === 401 ? refusal : status === 403 ? forbidden : schema;
  return {
    description: DESCRIPTIONS[status],
    headers: headersOf([...COMMON_HEADERS, ...(HEADERS[status] ?? [])]),
    content: { [dialect.contentType]: { schema: lift(body) } },
  };
}
