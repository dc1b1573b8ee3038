import {
  type Client,
  type ClientPathsWithMethod,
  createFinalURL,
  createQuerySerializer,
  defaultPathSerializer,
  type FetchOptions,
  type MethodResponse,
} from 'openapi-fetch';
import { LEAST_ROLES } from './roles.gen.ts';
import type { paths } from './schema.gen.ts';

/** A call that can be looked at before it is made. */
export interface ApiCall<Data = unknown> {
  /** In capitals. */
  readonly method: string;
  /** With ids and parameters filled in, without the address of the server. */
  readonly path: string;
  /** Undefined: it has none. */
  readonly body: unknown;
  /** The least role that may make it. */
  readonly role: CallRole;
  /** The project that it names: a role in that counts as well. */
  readonly project: number | undefined;
  /** Makes it; a refusal is an answer, not an exception. */
  readonly send: () => Promise<{ readonly data?: Data | undefined; readonly error?: unknown }>;
}

/** A role of people, each of which may do all that the one before it may; or none of theirs, but the operator's token. */
export type CallRole = 'Users' | 'Engineers' | 'Administrators' | 'operator';

/** The least role that may make a call, as the API's document says.
 *  @param path with its parameters in braces */
export function leastRole(method: string, path: string): CallRole {
  const usual = method.toUpperCase() === 'GET' ? 'Users' : 'Engineers';
  return LEAST_ROLES[`${method.toUpperCase()} ${path}`] ?? usual;
}

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<Path extends keyof paths, Method extends Verb> = paths[Path][Method];

/** Prepares a call of an operation, with the types of the API's document. */
export type ApiCalls = <Method extends Verb, Path extends ClientPathsWithMethod<Client<paths>, Method>>(
  method: Method,
  path: Path,
  options: FetchOptions<Operation<Path, Method>>,
) => ApiCall<MethodResponse<Client<paths>, Method, Path>>;

interface Options {
  readonly params?: { readonly path?: Record<string, unknown>; readonly query?: Record<string, unknown> };
  readonly body?: unknown;
}

/** What a call needs of who makes it, before it is prepared. */
export function needsOf<Method extends Verb, Path extends ClientPathsWithMethod<Client<paths>, Method>>(
  method: Method,
  path: Path,
  project?: number,
): Pick<ApiCall, 'role' | 'project'> {
  return {
    role: leastRole(method, path),
    project: path.includes('{project_id}') ? project : undefined,
  };
}

/** Calls through a client: what is shown of one is what is sent. */
export function apiCallsOf(client: Client<paths>): ApiCalls {
  const prepare = (method: Verb, path: keyof paths, options: Options): ApiCall => ({
    method: method.toUpperCase(),
    path: createFinalURL(path, {
      baseUrl: '',
      params: options.params ?? {},
      querySerializer: createQuerySerializer(),
      pathSerializer: defaultPathSerializer,
    }),
    body: options.body,
    role: leastRole(method, path),
    project: options.params?.path?.project_id as number | undefined,
    send: () => (client.request as Send)(method, path, options),
  });
  return prepare as ApiCalls;
}

type Send = (method: string, path: string, options: Options) => ReturnType<ApiCall['send']>;
