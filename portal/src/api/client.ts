import { type Query, QueryClient } from '@tanstack/react-query';
import createQueryClient from 'openapi-react-query';
import { type FaultyFields, fieldsOf, isRecord } from '../../../client/src/fields.ts';
import { type ApiCall, apiCallsOf, createVirgaClient, type Schemas } from '../../../client/src/index.ts';
import { noteAnswer } from './connection.ts';
import { fieldName, plainly, withFieldNames } from './plain-words.ts';
import { csrfToken } from './session.ts';

export type { ApiCall, Schemas };

/** The API as the portal uses it: the session's cookie, and the token against forgery for writes. */
export const client = createVirgaClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    const sendable = await repeatable(request);
    const response = await ask(sendable());
    if (hasEnded(request, response)) {
      const { sessionRenewed } = await import('../app/password-again.tsx');
      return (await sessionRenewed()) ? ask(sendable()) : response;
    }
    if (request.method === 'GET' || response.status !== 403) return response;
    if (await needsPassword(response)) {
      const { passwordGiven } = await import('../app/password-again.tsx');
      return (await passwordGiven()) ? ask(sendable()) : response;
    }
    // Another tab may have signed in again, and the token of this page is that of the session before.
    const { hasNewSession } = await import('../app/session.ts');
    return (await hasNewSession()) ? ask(sendable()) : response;
  },
});

/** A request that can be sent twice, each time with the token of the session of then. Its body is read first: a clone
 *  would be sent as a stream. */
async function repeatable(request: Request): Promise<() => Request> {
  const body = request.body === null ? undefined : await request.arrayBuffer();
  return () => {
    const next = body === undefined ? request.clone() : new Request(request, { body });
    const token = csrfToken();
    if (request.method !== 'GET' && token) next.headers.set('X-CSRF-Token', token);
    return next;
  };
}

/** Whether a call was refused because the session of this page has ended. What signs in again says so itself. */
const hasEnded = ({ url }: Request, { status }: Response): boolean =>
  status === 401 && csrfToken() !== undefined && !new URL(url).pathname.startsWith('/virga/v1/session');

/** Whether a call was refused because the person has given the password too long ago. */
const needsPassword = async (response: Response): Promise<boolean> =>
  (await response.clone().json()).code === 'recent_sign_in_required';

/** Asks the server, and notes whether it answers. None at all is an error like others, with words and without an
 *  exception, so that whoever shows what the API refuses shows this as well. */
export async function ask(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    noteAnswer(response.status);
    return response.ok ? response : withWords(response);
  } catch (error) {
    // What this page gave up itself says nothing of the server.
    if (request.signal.aborted) throw error;
    noteAnswer(0);
    const next =
      request.method === 'GET'
        ? 'This page continues by itself when it is back.'
        : 'What was sent may have arrived: look before you send it again';
    return refusal(504, { message: `Virga does not answer. ${next}`, [STATUS]: UNANSWERED });
  }
}

const refusal = (status: number, body: Readonly<Record<string, unknown>>) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** An answer without words of the API, as a proxy between gives it, says at least what it was; and each says when to
 *  ask again, where the server has said so. */
async function withWords(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, headers } = response;
  const again = Number(headers.get('retry-after'));
  const said = isJson(text) ?? { message: `The answer was ${status}, without a reason. Try it again.` };
  // Not every body names the request, which is what a failure of the server is found by in its log.
  const id = status >= 500 && headers.get('x-request-id');
  const more = { [STATUS]: status, ...(again > 0 ? { [AGAIN]: again } : {}) };
  return refusal(status, { ...(id ? { request_id: id } : {}), ...said, ...more });
}

const AGAIN = 'retry_after_seconds';
const STATUS = 'http_status';
const UNANSWERED = 0;

function isJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const api = createQueryClient(client);

/** Prepares a call: a form shows it while it is filled in, and sends the same one. */
export const apiCall = apiCallsOf(client);

/** How often is looked while no stream says what changes. */
export const LOOK_EVERY_MS = 30_000;
/** And while one does: a notification can be lost. */
export const SELDOM_MS = 300_000;
/** While something goes on. */
const BUSY_MS = 1_000;
/** After an answer that failed. */
const FAILED_MS = 5_000;

/** Paths of what changes with nobody's call and no task of the account: what is counted and measured, who signs in, what
 *  is delivered, and what operators see of others. */
const UNHEARD =
  /^\/virga\/v1\/(capacity|clients|engines|limits_requests|nodes|outbox|regions|sessions|simulation|storage_usage|all_tasks|user_action_deliveries|webhook)|^\/iam|^\/storage\/stats|\/metrics$/;

/** What a task or a call touches is asked for anew when it changes, as the stream says; the rest is looked at now and
 *  then, or when a server that was too busy has said to. When it was away, its return asks for everything. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A server on this machine is there without a network, too.
      networkMode: 'always',
      refetchInterval: ({ queryKey: [, path], state: { error } }: Query) =>
        againMs(error, UNHEARD.test(String(path)) ? LOOK_EVERY_MS : SELDOM_MS),
      retry: false,
      placeholderData: (previous: unknown) => previous,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Asks for all that is shown anew. */
export const refresh = () => void queryClient.invalidateQueries();

interface Requested<Data> {
  readonly state: { readonly data: Data | undefined; readonly error: unknown };
}

/** How often a query is asked anew: what failed sooner, unless a server that was too busy has said when.
 *  @param ms false: only where the server has said when */
export function every(ms: number | false) {
  return { refetchInterval: ({ state: { error } }: Requested<unknown>) => againMs(error, ms) };
}

/** Every second while something goes on, of which the stream does not say each step; else seldom.
 *  @param idleMs how often else, where the stream does not say all */
export function whileBusy<Data>(
  isBusy: (data: Data) => boolean,
  idleMs: (data: Data) => number = () => SELDOM_MS,
) {
  const msOf = (data: Data | undefined) => {
    if (data === undefined) return SELDOM_MS;
    return isBusy(data) ? BUSY_MS : idleMs(data);
  };
  return {
    refetchInterval: ({ state: { data, error } }: Requested<Data>) => againMs(error, msOf(data)),
  };
}

function againMs<Ms extends number | false>(error: unknown, ms: Ms): number | Ms {
  const seconds = isRecord(error) ? Number(error[AGAIN]) : 0;
  if (seconds > 0) return Math.min(seconds * 1000, LOOK_EVERY_MS);
  return error === null || ms === false ? ms : Math.min(ms, FAILED_MS);
}

/** An error of the API in the one form that the pages show, whichever of its bodies it came in. */
export interface ApiFault {
  readonly message: string;
  readonly fields: FaultyFields;
  readonly requestId: string | undefined;
  /** After how many seconds it may be asked again, where the server has said so. */
  readonly againSeconds?: number;
  /** What was asked for is not there. */
  readonly missing?: boolean;
  /** The role of who asked is too small. */
  readonly denied?: boolean;
  /** It was not refused: the server failed, or did not answer. */
  readonly failed?: boolean;
  /** Nobody answered at all. */
  readonly unanswered?: boolean;
}

export function faultOf(error: unknown): ApiFault {
  if (error instanceof Error) {
    return { message: `This page failed: ${error.message}`, fields: {}, requestId: undefined };
  }
  const body = isRecord(error) ? error : {};
  const text = String(body.message ?? body.detail ?? body.error ?? 'Something went wrong');
  const fields = plainFields(fieldsOf(body));
  return {
    message: plainly(withFieldNames(text, Object.keys(fields))),
    fields,
    requestId: typeof body.request_id === 'string' ? body.request_id : undefined,
    ...(Number(body[AGAIN]) > 0 ? { againSeconds: Number(body[AGAIN]) } : {}),
    ...(body[STATUS] === 404 ? { missing: true } : {}),
    // Not by the kind of token, which nobody can change.
    ...(body[STATUS] === 403 && /needs the role/.test(text) ? { denied: true } : {}),
    ...(Number(body[STATUS]) >= 500 ? { failed: true } : {}),
    ...(body[STATUS] === UNANSWERED ? { failed: true, unanswered: true } : {}),
  };
}

const plainFields = (fields: FaultyFields): FaultyFields =>
  Object.fromEntries(Object.entries(fields).map(([field, messages]) => [field, messages.map(plainly)]));

/** What is wrong with each field, in words. */
export const fieldFaults = ({ fields }: Pick<ApiFault, 'fields'>): readonly string[] =>
  Object.entries(fields).map(([field, messages]) => `${fieldName(field)} ${messages.join(', ')}`);

/** An error in one line, for where there is room for no more. */
export const wordsOf = ({ message, requestId }: ApiFault): string =>
  requestId ? message.replace('The request id', `The request id ${requestId}`) : message;
