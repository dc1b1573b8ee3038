import {
  BadRequest,
  Conflict,
  Forbidden,
  Gone,
  Invalid,
  NotFound,
  PermissionDenied,
  QuotaExceeded,
  TooManyRequests,
  Unauthenticated,
  Unprocessable,
} from '../../kernel/errors.ts';
import { cut, MAX_NAMED, moreFaults } from '../../kernel/named-faults.ts';

/** The one place that knows how errors look on the wire. Whatever is refused, the answer stays short: faults are
 *  counted by Invalid, messages are cut here. */

const LONGEST_MESSAGE = 20_000;

export interface WireError {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type Dialect = 'cloud' | 'iam' | 'waap' | 'storage' | 'video';

/** An error of the HTTP layer itself, before any feature is reached. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const AREAS: ReadonlyMap<string, Dialect> = new Map([
  ['/iam', 'iam'],
  ['/waap', 'waap'],
  ['/storage', 'storage'],
  ['/video/token', 'video'],
]);

/** @param url a path, with or without a query */
export function dialectOf(url: string): Dialect {
  const [path = ''] = url.split('?');
  for (const [area, dialect] of AREAS) {
    if (path === area || path.startsWith(`${area}/`)) return dialect;
  }
  return 'cloud';
}

interface Facts {
  status: number;
  class: string;
  message: string;
  headers: Record<string, string>;
  /** Of a refused caller: what a program can do about it. */
  code?: string | undefined;
}

/** Turns anything thrown into what the client sees. Causes of a 500 are for the log, never for the client. */
export function toWire(error: unknown, path: string, requestId: string): WireError {
  const facts = factsOf(error);
  const dialect = dialectOf(path);
  const body = BODIES[dialect](facts, error, requestId);
  const contentType = dialect === 'waap' ? 'application/problem+json' : 'application/json';
  return { status: dialectStatus(dialect, facts, error), contentType, headers: facts.headers, body };
}

function factsOf(error: unknown): Facts {
  const make = (status: number, name: string, headers: Record<string, string> = {}): Facts => ({
    status,
    class: name,
    message: error instanceof Error ? cut(error.message, LONGEST_MESSAGE) : '',
    headers,
  });
  if (error instanceof Invalid) return make(400, 'ValidationError');
  if (error instanceof BadRequest) return make(400, 'ValidationError');
  if (error instanceof Unauthenticated) return make(401, 'Unauthenticated', { 'www-authenticate': 'APIKey' });
  if (error instanceof PermissionDenied) return { ...make(403, 'PermissionDenied'), code: error.code };
  if (error instanceof QuotaExceeded) return make(403, 'QuotaLimitExceed');
  if (error instanceof Forbidden) return make(403, 'ForbiddenError');
  if (error instanceof NotFound) return make(404, 'NotFoundError');
  if (error instanceof Gone) return make(410, 'GoneError');
  if (error instanceof Conflict) return make(409, 'ConflictError', retryHeaders(error.retryAfterMs));
  if (error instanceof Unprocessable) return make(422, 'ValidationError', { 'x-should-retry': 'false' });
  if (error instanceof TooManyRequests) return make(429, 'TooManyRequests', retryHeaders(error.retryAfterMs));
  if (error instanceof HttpError) return make(error.status, 'HTTPError', { ...error.headers });
  return {
    status: 500,
    class: 'InternalServerError',
    message: 'Something went wrong on our side; the request id names it in the log',
    headers: {},
  };
}

/** SDKs repeat 409 by themselves; a header says when that is pointless. */
function retryHeaders(retryAfterMs: number | undefined): Record<string, string> {
  if (retryAfterMs === undefined) return { 'x-should-retry': 'false' };
  return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
}

const isDetail = (facts: Facts) => facts.class === 'Unauthenticated' || facts.class === 'PermissionDenied';

function dialectStatus(dialect: Dialect, facts: Facts, error: unknown): number {
  return dialect === 'waap' && error instanceof Invalid ? 422 : facts.status;
}

const BODIES: Record<Dialect, (facts: Facts, error: unknown, requestId: string) => unknown> = {
  cloud: cloudBody,
  iam: iamBody,
  waap: problemBody,
  storage: (facts) =>
    isDetail(facts) ? { ...refusal(facts), error: facts.message } : { error: facts.message },
  video: (facts) => ({ error: facts.message }),
};

const refusal = ({ message, code }: Facts) =>
  code === undefined ? { detail: message } : { detail: message, code };

function cloudBody(facts: Facts, error: unknown, requestId: string): unknown {
  if (isDetail(facts)) return refusal(facts);
  const body = { exception_class: facts.class, message: facts.message, request_id: requestId };
  if (error instanceof Invalid) return { ...body, invalid_fields: error.fields };
  if (error instanceof QuotaExceeded) {
    const info = {
      attribute: error.attribute,
      current_usage: error.currentUsage,
      requested_usage: error.requestedUsage,
      limit: error.limit,
    };
    return { ...body, info };
  }
  return body;
}

/** As in the cloud, with the faulty fields under the name that account clients look for as well. */
function iamBody(facts: Facts, error: unknown, requestId: string): unknown {
  const body = cloudBody(facts, error, requestId) as object;
  return error instanceof Invalid ? { ...body, errors: error.fields } : body;
}

const PROBLEMS: Readonly<Record<number, readonly [type: string, title: string]>> = {
  400: ['http-bad-request', 'Bad request'],
  403: ['http-forbidden', 'Forbidden'],
  404: ['http-not-found', 'Not found'],
  405: ['http-method-not-allowed', 'Method not allowed'],
  409: ['http-conflict', 'Conflict'],
  413: ['http-content-too-large', 'Content too large'],
  415: ['http-unsupported-media-type', 'Unsupported media type'],
  422: ['request-validation-failed', 'Request validation failed'],
  429: ['http-too-many-requests', 'Too many requests'],
  500: ['internal-server-error', 'Internal server error'],
  503: ['http-service-unavailable', 'Service unavailable'],
};

function problemBody(facts: Facts, error: unknown): unknown {
  if (isDetail(facts)) return refusal(facts);
  const status = error instanceof Invalid ? 422 : facts.status;
  const [type, title] = PROBLEMS[status] ?? ['http-error', 'Error'];
  const problem = { type, title, status, detail: facts.message };
  if (!(error instanceof Invalid)) return problem;
  const errors = error.parts.flatMap(({ fields, location }) =>
    Object.entries(fields).flatMap(([field, messages]) =>
      messages.map((detail) => ({ loc: locationOf(location, field), detail })),
    ),
  );
  const left = error.parts.reduce(
    (sum, { unnamed }) => sum + unnamed,
    Math.max(0, errors.length - MAX_NAMED),
  );
  errors.splice(MAX_NAMED);
  const more = left > 0 ? `; ${moreFaults(left)}` : '';
  return { ...problem, detail: `Some fields of the request are not valid${more}`, errors };
}

/** `body`, `a.0.b` becomes `["body", "a", 0, "b"]`. */
function locationOf(location: string, field: string): (string | number)[] {
  if (field === location) return [location];
  return [location, ...field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
}
