import type pg from 'pg';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';

const PATIENCE_MS = 5000;

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/** Sends NOTIFY after the transactions that are the reason for it, what comes together in one statement. Whoever
 *  listens in this process hears it without the way through the database. Inside a
 *  transaction PostgreSQL would let only one such commit happen at a time, from before its write to the disk until
 *  after it. What is sent can be lost with this process: whoever listens also looks by itself now and then. */
export class Notifier {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #waiting: Notification[] = [];
  #sending = false;
  /** Called back with the payloads of each channel. */
  readonly #here = new Map<string, Set<(payload: string) => void>>();
  /** What this process's connections notify of has been heard here already. */
  readonly #own = new Set<number>();

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    pool.on('connect', (client) => this.#own.add(pidOf(client)));
    pool.on('remove', (client) => this.#own.delete(pidOf(client)));
  }

  /** Calls back with each payload that this process sends on the channel.
   *  @returns what ends that */
  hear(channel: string, callback: (payload: string) => void): () => void {
    const set = this.#here.get(channel) ?? new Set();
    this.#here.set(channel, set.add(callback));
    return () => set.delete(callback);
  }

  /** Whether PostgreSQL passes on what this process has sent. */
  isOwn({ processId }: pg.Notification): boolean {
    return this.#own.has(processId);
  }

  notify(channel: string, payload: string): void {
    this.#waiting.push({ channel, payload });
    if (!this.#sending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      // What the same turn of the event loop brings goes along.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#waiting;
      this.#waiting = [];
      for (const { channel, payload } of batch) this.#notifyHere(channel, payload);
      try {
        await this.#pool.query({
          name: 'notify',
          text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as n (channel, payload)',
          values: [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)],
          // What comes later must not wait for an answer that never comes.
          query_timeout: PATIENCE_MS,
        } as pg.QueryConfig);
      } catch (error) {
        this.#log[this.#pool.ending ? 'debug' : 'warn'](`notifications were lost: ${messageOf(error)}`);
      }
    }
    this.#sending = false;
  }

  /** A listener that fails ends neither the others nor what is sent. */
  #notifyHere(channel: string, payload: string): void {
    for (const callback of this.#here.get(channel) ?? []) {
      try {
        callback(payload);
      } catch (error) {
        this.#log.error(`a notification on ${channel} could not be heard: ${messageOf(error)}`);
      }
    }
  }
}

/** The process of PostgreSQL that serves a connection; the types of the library do not name it. */
const pidOf = (client: pg.PoolClient) => (client as pg.PoolClient & { readonly processID: number }).processID;
