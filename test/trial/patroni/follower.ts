import { setTimeout as delay } from 'node:timers/promises';
import { eventsIn } from '../../../client/src/events.ts';
import { API_KEY } from '../../harness/process.ts';
import { waitUntil } from '../../harness/wait.ts';

const STREAM = '/cloud/v1/tasks/stream';
const PAUSE_MS = 200;

/** What a stream of tasks told of tasks that have ended. */
export interface Followed {
  /** Tasks whose end it told. */
  readonly ended: number;
  /** Tasks whose end it did not tell. */
  readonly missed: readonly string[];
  /** Tasks whose end it told more than once. */
  readonly repeated: readonly string[];
  /** How often it said that it begins anew. */
  readonly resets: number;
}

/** Follows the stream of tasks, and resumes it where it broke off. */
export class Follower {
  readonly #url: string;
  readonly #over = new AbortController();
  readonly #ends = new Map<string, number>();
  readonly #running: Promise<void>;
  #lastId: string | undefined;
  #resets = 0;
  #isOpen = false;

  constructor(url: string) {
    this.#url = url;
    this.#running = this.#run();
  }

  /** Resolves when it is told what changes from then on. */
  async opened(): Promise<void> {
    await waitUntil(() => this.#isOpen, { what: 'a stream of tasks' });
  }

  /** @param tasks that have ended */
  async stop(tasks: readonly string[]): Promise<Followed> {
    const missed = () => tasks.filter((task) => !this.#ends.has(task));
    await waitUntil(() => missed().length === 0, { what: 'the ends of all tasks' }).catch(() => undefined);
    this.#over.abort();
    await this.#running;
    const repeated = tasks.filter((task) => (this.#ends.get(task) ?? 0) > 1);
    return { ended: this.#ends.size, missed: missed(), repeated, resets: this.#resets };
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#follow(signal).catch(() => undefined);
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const headers = {
      authorization: `APIKey ${API_KEY}`,
      ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
    };
    const events = eventsIn(await fetch(`${this.#url}${STREAM}`, { headers, signal }));
    if (!events) return;
    this.#isOpen = true;
    for (;;) {
      const { value, done } = await events.read();
      if (done) return;
      if (value.id !== undefined) this.#lastId = value.id;
      if (value.event === 'reset') this.#resets++;
      if (value.event !== 'task') continue;
      const { id, state } = JSON.parse(value.data);
      if (state === 'FINISHED' || state === 'ERROR') this.#ends.set(id, (this.#ends.get(id) ?? 0) + 1);
    }
  }
}
