import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Db } from './database/db.ts';

export interface LeaseTimes {
  /** For how long a holder may be silent. */
  readonly lastsMs: number;
  readonly renewEveryMs: number;
}

/** As fast as somebody else takes over the tasks and the regions of a node that is silent. */
const TIMES: LeaseTimes = { lastsMs: 4_000, renewEveryMs: 1_000 };

/** Leases on names, as advisory locks of one database session. Whoever dies loses them at once; the session of a node
 *  that is silent, since it is frozen or its machine is gone, is ended by PostgreSQL (`idle_session_timeout`). A node
 *  counts on its leases only for as long as PostgreSQL surely has its session: one that wakes up asks again. */
export class Leases {
  readonly #db: Db;
  readonly #times: LeaseTimes;
  #session: Promise<pg.PoolClient> | undefined;
  #client: pg.PoolClient | undefined;
  #held = new Set<string>();
  #asking: Promise<unknown> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;
  /** When the last question was asked that was answered, on the clock that never goes back. */
  #heardAt = 0;

  constructor(db: Db, times = TIMES) {
    this.#db = db;
    this.#times = times;
  }

  /** Whether this node has the lease, which it then keeps. */
  hold(name: string): Promise<boolean> {
    if (this.#held.has(name) && performance.now() < this.#heardAt + this.#times.lastsMs)
      return Promise.resolve(true);
    return this.#inTurn(async () => {
      const key = createHash('sha256').update(name).digest().readInt32BE(0);
      const [row] = await this.#ask('select pg_try_advisory_lock(72115, $1) as got', [key]);
      if (row?.got) this.#held.add(name);
      return row?.got === true;
    });
  }

  async release(): Promise<void> {
    await this.#session?.catch(() => undefined);
    if (this.#client) this.#drop(this.#client);
  }

  /** One question after the other: a session answers only one at a time. */
  #inTurn<T>(question: () => Promise<T>): Promise<T> {
    const answer = this.#asking.then(question);
    this.#asking = answer.catch(() => undefined);
    return answer;
  }

  async #ask(text: string, values: readonly unknown[] = []): Promise<{ got?: boolean }[]> {
    const client = await this.#connect();
    const requestedAt = performance.now();
    try {
      const limited = { text, values: [...values], query_timeout: this.#times.lastsMs };
      const { rows } = await client.query(limited);
      this.#heardAt = requestedAt;
      return rows;
    } catch (error) {
      this.#drop(client);
      throw error;
    }
  }

  #connect(): Promise<pg.PoolClient> {
    const session = this.#session ?? this.#open();
    this.#session = session;
    session.catch(() => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }

  async #open(): Promise<pg.PoolClient> {
    const client = await this.#db.pool.connect();
    client.on('error', () => this.#drop(client));
    try {
      await client.query(`set idle_session_timeout = ${this.#times.lastsMs}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#client = client;
    this.#renewal = setInterval(() => this.#renew(), this.#times.renewEveryMs).unref();
    return client;
  }

  #renew(): void {
    // Who needs the lease next finds out that it is lost.
    this.#inTurn(() => this.#ask('select 1')).catch(() => undefined);
  }

  /** Not given back it would stay in the pool, which then could never be closed. */
  #drop(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    clearInterval(this.#renewal);
    this.#client = undefined;
    this.#session = undefined;
    this.#held = new Set();
    client.release(true);
  }
}
