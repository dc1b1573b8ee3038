import { setTimeout as delay } from 'node:timers/promises';
import { API_KEY } from '../harness/process.ts';

interface Requested {
  readonly path: string;
  readonly status: number | undefined;
  readonly retryAfter: string | null;
  readonly ms: number;
  /** The database came back before it was answered. */
  readonly isOpen: boolean;
  /** Since the database was gone. */
  readonly at: number;
}

/** What API nodes say while they have no database, asked without the proxy. */
export interface OutageVerdict {
  /** Calls that need the database, asked and answered while it was away. */
  readonly calls: number;
  /** Those that were not answered 503 with Retry-After. */
  readonly otherwise: readonly string[];
  /** Also of those that were not answered in the end. */
  readonly slowestMs: number;
  /** From the loss of the database to the moment from which no node was ready any more. */
  readonly notReadyAfterMs: number;
}

const EVERY_MS = 100;
const READY = '/readyz';
const LBS = '/cloud/v1/loadbalancers/1/2';
const CALLS: readonly (readonly [string, string, object?])[] = [
  ['GET', '/cloud/v1/projects'],
  ['GET', `${LBS}?limit=1`],
  ['POST', LBS, { name: 'nobody' }],
  ['GET', READY],
];

/** Asks each node again and again until the signal comes; of what is unanswered then, only the time is judged. */
export async function askWithout(nodes: readonly string[], over: AbortSignal): Promise<OutageVerdict> {
  const since = performance.now();
  const requested: Requested[] = [];
  const running: Promise<unknown>[] = [];
  while (!over.aborted) {
    for (const node of nodes) {
      for (const [method, path, body] of CALLS) {
        const at = performance.now();
        const headers = { authorization: `APIKey ${API_KEY}`, 'content-type': 'application/json' };
        const options = { method, headers, signal: over, ...(body && { body: JSON.stringify(body) }) };
        const note = (status: number | undefined, retryAfter: string | null) => {
          const isOpen = over.aborted;
          requested.push({ path, status, retryAfter, isOpen, ms: performance.now() - at, at: at - since });
        };
        running.push(
          fetch(`${node}${path}`, options).then(
            (answer) => note(answer.status, answer.headers.get('retry-after')),
            () => note(undefined, null),
          ),
        );
      }
    }
    await delay(EVERY_MS, undefined, { signal: over }).catch(() => {});
  }
  await Promise.all(running);
  return judge(requested);
}

function judge(requested: readonly Requested[]): OutageVerdict {
  const calls = requested.filter(({ path }) => path !== READY);
  const ready = requested.filter(({ path, status }) => path === READY && status === 200);
  const answered = calls.filter(({ isOpen }) => !isOpen);
  const wrong = answered.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null);
  return {
    calls: answered.length,
    otherwise: wrong.map(
      ({ path, status, at }) => `${path}: ${status ?? 'no answer'} at ${Math.round(at)} ms`,
    ),
    slowestMs: Math.max(0, ...calls.map(({ ms }) => ms)),
    notReadyAfterMs: Math.max(0, ...ready.map(({ at, ms }) => at + ms)),
  };
}
