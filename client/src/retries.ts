import { secondsIn } from './errors.ts';

/** How calls are repeated. */
export interface RetryOptions {
  /** How often a call is repeated. Default: 4; 0: never. */
  readonly retries?: number;
  /** Milliseconds that a server may ask to wait, beyond which its refusal is the answer. Default: 30 000. */
  readonly longestDelayMs?: number;
  /** How time passes; for tests. */
  readonly sleep?: Sleep;
}

/** @throws the signal's reason, when it is aborted before the time is over */
export type Sleep = (milliseconds: number, signal?: AbortSignal | null) => Promise<void>;

export type Fetch = (request: Request) => Promise<Response>;

const RETRIES = 4;
const LONGEST_DELAY_MS = 30_000;
const FIRST_DELAY_MS = 250;
/** The server, or a proxy before it, is busy or away. */
const AWAY = new Set([429, 502, 503, 504]);
const CONFLICT = 409;
const READS = new Set(['GET', 'HEAD']);

/** Waits on the clock of this machine. */
export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

/** A `fetch` that repeats what may be repeated: when nobody answers, when the server is busy, and when it says when
 *  the state of things will allow the call. Each write has an `Idempotency-Key`, so that it is done once however often it is
 *  sent. */
export function retrying(fetch: Fetch, options: RetryOptions = {}): Fetch {
  const { retries = RETRIES, longestDelayMs = LONGEST_DELAY_MS, sleep: wait = sleep } = options;
  return async (request) => {
    if (!READS.has(request.method) && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', crypto.randomUUID());
    const next = await repeatable(request);
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(next()).catch((error: unknown) => {
        if (attempt >= retries || request.signal.aborted) throw error;
        return undefined;
      });
      const delay = answer === undefined ? pause(attempt) : delayAfter(answer, attempt);
      if (answer !== undefined && (delay === undefined || delay > longestDelayMs || attempt >= retries))
        return answer;
      await answer?.body?.cancel();
      await wait(delay ?? 0, request.signal);
    }
  };
}

/** Milliseconds after which it may be sent again; undefined: that is pointless. */
function delayAfter({ status, headers }: Response, attempt: number): number | undefined {
  if (headers.get('x-should-retry') === 'false') return undefined;
  const requested = secondsIn(headers.get('retry-after'));
  if (status === CONFLICT) return requested === undefined ? undefined : requested * 1000;
  return AWAY.has(status) ? (requested === undefined ? pause(attempt) : requested * 1000) : undefined;
}

/** Longer each time, and not the same for all who wait. */
const pause = (attempt: number): number => FIRST_DELAY_MS * 2 ** attempt * (0.5 + Math.random() / 2);

/** A request that can be sent several times. Its body is read first: a clone would be sent as a stream. */
async function repeatable(request: Request): Promise<() => Request> {
  if (request.body === null) return () => request.clone();
  const body = await request.arrayBuffer();
  return () => new Request(request, { body });
}
