import type { Static, TSchema } from '@sinclair/typebox';
import type { Need } from '../../kernel/capacity.ts';
import type { InvalidFields } from '../../kernel/errors.ts';
import type { Faults } from '../../kernel/faults.ts';
import type { Access } from '../auth/roles.ts';
import { BODY_LIMIT, bounded, PUBLIC_BODY_LIMIT } from './bounds.ts';
import type { CorsOrigins } from './cors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Schema = TSchema | undefined;
type Value<S extends Schema> = S extends TSchema ? Static<S> : undefined;

export interface RouteInput<P extends Schema, Q extends Schema, B extends Schema> {
  readonly params: Value<P>;
  readonly query: Value<Q>;
  readonly body: Value<B>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a call on a path declares: shapes and one call. */
export interface CallSpec<C, P extends Schema, Q extends Schema, B extends Schema, R extends Schema> {
  /** What it is called in clients; absent: what follows from its method and path. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Q;
  readonly body?: B;
  /** An empty text of its body is a value like any other. Default: where a field may not be empty, it counts as
   *  not given, as older clients send it. */
  readonly emptyIsGiven?: boolean;
  /** Faults of a body that a schema cannot find (an image that does not decode); they are reported together
   *  with those that it finds, so the value may have any shape. */
  readonly bodyFaults?: (body: unknown) => Promise<InvalidFields>;
  /** What a schema cannot say of a body. The service checks it; a body that breaks its schema too is told both at once,
   *  as far as the fields that it has right go. */
  readonly rules?: (body: Partial<Value<B>>, faults: Faults) => void;
  /** Bytes that a body may have; default: see `bodyLimitOf`. */
  readonly bodyLimit?: number;
  readonly status?: 200 | 201 | 202 | 204;
  readonly response?: R;
  /** Content type of the answer; default: JSON. */
  readonly produces?: string;
  readonly deprecated?: boolean;
  /** Origins of web pages that may call it; default: those that may call the API. */
  readonly corsOrigins?: CorsOrigins;
  /** The answer holds a secret: it is never kept to be given again, and never compressed. */
  readonly sensitive?: boolean;
  /** A person must have given the password a short while ago; see `requireRecent`. */
  readonly recentSignIn?: boolean;
  /** Allowed for a person who must have a second factor and has none yet. */
  readonly beforeEnrolment?: boolean;
  /** What of a region it may need room for: refused while there is too little. */
  readonly takes?: (body: Value<B>) => readonly Need[];
  /** Allowed in a region that is not ACTIVE although it is a write. */
  readonly anyRegionState?: boolean;
  readonly handler: (ctx: C, input: RouteInput<P, Q, B>) => Promise<Value<R> | unknown>;
}

/** Who may call a route; or why everybody may. */
export type RouteAccess = Access | { readonly public: string };

/** What a route is: a call, and where it stands. */
export interface RouteSpec<C, P extends Schema, Q extends Schema, B extends Schema, R extends Schema>
  extends CallSpec<C, P, Q, B, R> {
  readonly method: Method;
  /** With parameters in braces: `/cloud/v1/projects/{project_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly access: RouteAccess;
  readonly params?: P;
}

/** What of the path is resolved, and must belong to the caller, before the handler runs. */
export type Scope = 'none' | 'client' | 'project' | 'region';

/** A route as the server sees it. */
export interface Route {
  readonly scope: Scope;
  /** What a region must have for it: one of its provider's ports or capabilities. Absent: it works in every region. */
  readonly needs?: string | undefined;
  readonly spec: RouteSpec<never, Schema, Schema, Schema, Schema>;
}

/** Makes a route, with bounds for what its schemas leave open. */
export const declared = (scope: Scope, spec: Route['spec']): Route => ({ scope, spec: withBounds(spec) });

function withBounds(spec: Route['spec']): Route['spec'] {
  const { params, query, body } = spec;
  return {
    ...spec,
    ...(params && { params: bounded(params, 'path') }),
    ...(query && { query: bounded(query, 'query') }),
    ...(body && { body: bounded(body, 'body') }),
  };
}

/** Bytes that the body of a call may have. */
export function bodyLimitOf({ access, body, bodyLimit }: Route['spec']): number {
  if (bodyLimit !== undefined) return bodyLimit;
  return typeof access === 'object' || !body ? PUBLIC_BODY_LIMIT : BODY_LIMIT;
}

/** A path as the framework has it: `/things/:id` for `/things/{id}`. */
export const urlOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/** A response that is not JSON, or has headers of its own. */
export class RawReply {
  readonly contentType: string;
  readonly payload: string | Buffer | NodeJS.ReadableStream;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    contentType: string,
    payload: RawReply['payload'],
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.contentType = contentType;
    this.payload = payload;
    this.headers = headers;
  }
}
