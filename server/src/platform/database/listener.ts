import type pg from 'pg';
import type { Db } from './db.ts';

export interface Heard {
  /** Called with the payload of each notification. */
  message(payload: string): void;
  /** Called when the connection was lost: what was sent meanwhile is not heard. */
  lost(): void;
}

/** Milliseconds within which PostgreSQL answers, or the connection is given up. */
const PATIENCE_MS = 5000;

/** Listens to one channel: to other processes on a connection of its own, to this one at once. Whoever hears nothing
 *  looks by himself now and then: what is sent while there is no connection is lost. */
export class Listener {
  readonly #db: Db;
  readonly #channel: string;
  readonly #heard: Heard;
  #connection: Promise<pg.PoolClient> | undefined;
  #closed = false;
  #hearNoMore: (() => void) | undefined;

  constructor(db: Db, channel: string, heard: Heard) {
    this.#db = db;
    this.#channel = channel;
    this.#heard = heard;
  }

  /** Connects if there is no connection. Resolves when it listens, or could not connect; the next call tries again. */
  async listen(): Promise<void> {
    if (this.#closed) return;
    this.#hearNoMore ??= this.#db.notifier.hear(this.#channel, (payload) => this.#heard.message(payload));
    this.#connection ??= this.#connect();
    await this.#connection.catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#hearNoMore?.();
    const client = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    client?.release(true);
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      const client = await this.#db.pool.connect();
      try {
        client.on('notification', (notification) => {
          if (!this.#db.notifier.isOwn(notification)) this.#heard.message(notification.payload ?? '');
        });
        await client.query({ text: `listen ${this.#channel}`, query_timeout: PATIENCE_MS } as pg.QueryConfig);
      } catch (error) {
        client.release(true);
        throw error;
      }
      // Not given back it would stay in the pool, which then could never be closed.
      client.once('error', () => {
        if (!this.#connection) return;
        this.#connection = undefined;
        client.release(true);
        this.#heard.lost();
      });
      return client;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }
}
