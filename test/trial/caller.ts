import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, API_KEY } from '../harness/process.ts';

/** A request, and what became of it. */
export interface Requested {
  readonly at: number;
  readonly failed: boolean;
  /** Why it failed. */
  readonly why?: string;
}

/** How often which reason made requests fail. */
export function reasons(requests: readonly { readonly why?: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { why } of requests) if (why) counts.set(why, (counts.get(why) ?? 0) + 1);
  return counts;
}

const PAUSE_MS = 100;
const LONGEST_MS = 60_000;

/** The first attempt is being worked on: its answer is given to the next. */
const isStillRunning = ({ status, body }: Answer) =>
  status === 409 && JSON.stringify(body).includes('still running');

/** Asks the API as clients should: a write is repeated with its Idempotency-Key until it is answered. Each request that
 *  was not answered well counts as failed. */
export class Caller {
  readonly #url: string;
  readonly #authorization: string;
  readonly requests: Requested[] = [];

  /** @param token of the API, or with a space the whole of the header */
  constructor(url: string, token = API_KEY) {
    this.#url = url;
    this.#authorization = token.includes(' ') ? token : `APIKey ${token}`;
  }

  /** Asks again until it is answered by the API itself. */
  async call(method: string, path: string, body?: object): Promise<Answer> {
    const key = randomUUID();
    for (;;) {
      const answer = await this.#once(method, path, body, key);
      const at = performance.now();
      if (typeof answer === 'string') {
        const what = path.replace(/[0-9a-f-]{36}/, 'ID').replace(/\?.*/, '');
        this.requests.push({ at, failed: true, why: `${answer} to ${method} ${what}` });
      } else this.requests.push({ at, failed: false });
      if (typeof answer !== 'string' && !isStillRunning(answer)) return answer;
      await delay(PAUSE_MS);
    }
  }

  /** Waits for the end of the task that an answer names.
   *  @throws when it names none */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async ended({ status, body }: Answer): Promise<any> {
    const [task] = body.tasks ?? [];
    if (task === undefined) throw new Error(`no task: ${status} ${JSON.stringify(body)}`);
    for (;;) {
      const answer = await this.call('GET', `/cloud/v1/tasks/${task}?wait=20`);
      if (answer.status !== 200)
        throw new Error(`task ${task}: ${answer.status} ${JSON.stringify(answer.body)}`);
      if (answer.body.state === 'FINISHED' || answer.body.state === 'ERROR') return answer.body;
    }
  }

  /** @returns the answer, or why there is none that counts */
  async #once(method: string, path: string, body: object | undefined, key: string): Promise<Answer | string> {
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers: {
          authorization: this.#authorization,
          ...(method === 'GET' ? {} : { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      const text = await response.text();
      if (response.status >= 500) return `${response.status}`;
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      return cause?.code ?? String(error);
    }
  }
}
