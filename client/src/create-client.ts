import createFetchClient, {
  type Client,
  type ClientPathsWithMethod,
  createFinalURL,
  createQuerySerializer,
  defaultPathSerializer,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { errorOf, noAnswer, type Task, VirgaError } from './errors.ts';
import { eventsOf } from './events.ts';
import { itemsOf, type Page } from './pages.ts';
import { type Fetch, type RetryOptions, retrying, sleep } from './retries.ts';
import type { paths } from './schema.gen.ts';
import { type TaskCalls, type WaitOptions, waitForTask } from './tasks.ts';

export interface VirgaClientOptions extends RetryOptions {
  /** Where the server is: `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** An API token; or what gives the whole `Authorization` header, such as `Bearer …` of somebody who has signed in.
   *  Absent: the cookie of the portal's session. */
  readonly token?: string | (() => string | Promise<string>);
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: that of Node.js or of the browser. */
  readonly fetch?: Fetch;
}

/** What may be left out may be left out as a whole. */
type InitParam<Init> = object extends Init ? [Init?] : undefined extends Init ? [Init?] : [Init];

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Paths<Method extends Verb> = ClientPathsWithMethod<Client<paths>, Method>;
type Answer<Method extends Verb, Path extends Paths<Method>> = MethodResponse<Client<paths>, Method, Path>;

/** Makes a call of the API, with the types of its document.
 *  @returns the body of the answer
 *  @throws VirgaError when it is refused, or nobody answers */
type Call<Method extends Verb> = <
  Path extends Paths<Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<Answer<Method, Path>>;

/** Paths of lists: those that answer `results`. */
export type ListPath = {
  [Path in Paths<'get'>]: Answer<'get', Path> extends { results: readonly unknown[] } ? Path : never;
}[Paths<'get'>];

type ItemOf<Path extends ListPath> =
  Answer<'get', Path> extends { results: readonly (infer Item)[] } ? Item : never;

/** A call without types, for programs that learn of operations from the document. */
export interface PlainCall {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface StreamEvent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data: string;
}

export interface VirgaClient {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** @param method in any case @param path with parameters in braces */
  readonly call: (method: string, path: string, call?: PlainCall) => Promise<unknown>;
  /** Server-sent events of a stream, until it ends or `signal` is aborted. */
  readonly events: (path: string, call?: Pick<PlainCall, 'query' | 'signal'>) => AsyncIterable<StreamEvent>;
  /** Waits for the task that an answer names: `answer.tasks[0]`.
   *  @returns the task, which is FINISHED
   *  @throws VirgaError with the code `task_failed` and the task, when it ended with ERROR */
  readonly waitForTask: (id: string, options?: WaitOptions) => Promise<Task>;
  /** All items of a list, page by page: `for await (const item of …)`. */
  readonly paginate: <Path extends ListPath, Init extends MaybeOptionalInit<paths[Path], 'get'>>(
    path: Path,
    ...init: InitParam<Init>
  ) => AsyncIterable<ItemOf<Path>>;
}

interface Init {
  readonly params?: { readonly path?: object; readonly query?: object };
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const STREAM = '/cloud/v1/tasks/stream';

/** A client of Virga's API for Node.js and browsers. Calls are repeated while that can help, and throw a VirgaError
 *  otherwise. */
export function createClient(options: VirgaClientOptions): VirgaClient {
  const { baseUrl, fetch: given = (request) => globalThis.fetch(request) } = options;
  const answering: Fetch = (request) =>
    given(request).catch((error: unknown) => {
      request.signal.throwIfAborted();
      throw error instanceof VirgaError ? error : noAnswer(baseUrl, error);
    });
  const authorize: Fetch = async (request) => {
    const header = await authorizationOf(options.token);
    if (header !== undefined) request.headers.set('authorization', header);
    for (const [name, value] of Object.entries(options.headers ?? {})) request.headers.set(name, value);
    return answering(request);
  };
  const typed = createFetchClient<paths>({ baseUrl, fetch: retrying(authorize, options) });
  const send = async (method: string, path: string, init: Init = {}): Promise<unknown> => {
    const { data, error, response } = await (typed.request as unknown as Send)(method, path, init);
    if (!response.ok) throw await errorOf(rebuilt(response, error));
    return data;
  };
  const by = (method: Verb) => ((path: string, init?: Init) => send(method, path, init)) as never;
  const answerOn =
    (path: string) =>
    (id: string, wait: number | undefined, signal: AbortSignal | undefined): Promise<unknown> => {
      const init: Init = { params: { path: { task_id: id }, query: wait === undefined ? {} : { wait } } };
      return send('get', path, signal ? Object.assign(init, { signal }) : init);
    };
  const read = answerOn('/cloud/v1/tasks/{task_id}') as TaskCalls['read'];
  const operatorRead = answerOn('/virga/v1/all_tasks/{task_id}');
  const readOfAny: TaskCalls['read'] = async (id, wait, signal) =>
    ((await operatorRead(id, wait, signal)) as { task: Task }).task;
  const open = (path: string, query: PlainCall['query'] = {}, lastEventId?: string, signal?: AbortSignal) => {
    const url = createFinalURL(path, {
      baseUrl,
      params: { query },
      querySerializer: createQuerySerializer(),
      pathSerializer: defaultPathSerializer,
    });
    const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
    return authorize(new Request(url, { headers, ...(signal && { signal }) }));
  };
  const openTasks: TaskCalls['open'] = ({ project_id }, lastEventId, signal) =>
    open(STREAM, project_id === null ? {} : { project_id }, lastEventId, signal);
  return {
    get: by('get'),
    post: by('post'),
    put: by('put'),
    patch: by('patch'),
    delete: by('delete'),
    call: (method, path, { path: inPath = {}, query = {}, ...rest } = {}) =>
      send(method.toLowerCase(), path, { params: { path: inPath, query }, ...rest }),
    waitForTask: (id, wait) =>
      waitForTask(
        id,
        { read: wait?.ofAny ? readOfAny : read, open: openTasks, sleep: options.sleep ?? sleep },
        wait,
      ),
    events: (path, { query, signal } = {}) => eventsOf(() => open(path, query, undefined, signal)),
    paginate: ((path: string, init: Init = {}) =>
      itemsOf((query) => {
        const params = { ...init.params, query: { ...init.params?.query, ...query } };
        return send('get', path, { ...init, params }) as Promise<Page>;
      })) as never,
  };
}

type Send = (
  method: string,
  path: string,
  init: Init,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** An answer whose body was read already, as it was. */
const rebuilt = ({ status, headers }: Response, body: unknown): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body ?? {}), { status, headers });

async function authorizationOf(token: VirgaClientOptions['token']): Promise<string | undefined> {
  if (typeof token === 'function') return token();
  return token === undefined ? undefined : `APIKey ${token}`;
}
