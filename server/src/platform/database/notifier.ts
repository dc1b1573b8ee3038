import type pg from 'pg';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';

const PATIENCE_MS = 5000;

/** Sends NOTIFY after the transactions that are the reason for it, what comes together in one statement. Inside a
 *  transaction PostgreSQL would let only one such commit happen at a time, from before its write to the disk until
 *  after it. What is sent can be lost with this process: whoever listens also looks by itself now and then. */
export class Notifier {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #waiting: { readonly channel: string; readonly payload: string }[] = [];
  #sending = false;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
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
}
