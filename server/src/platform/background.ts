import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { messageOf } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import type { Db } from './database/db.ts';
import type { BackgroundJob } from './feature.ts';

/** Runs the background jobs of all features until it is stopped. */
export class Background {
  readonly #jobs: readonly BackgroundJob[];
  readonly #log: Logger;
  readonly #leases: Leases;
  readonly #stopping = new AbortController();
  /** Ends the pause that a job is in, or the next one. */
  readonly #wakers = new Map<BackgroundJob, AbortController>();
  #loops: Promise<void>[] = [];

  constructor(jobs: readonly BackgroundJob[], db: Db, log: Logger) {
    this.#jobs = jobs;
    this.#log = log;
    this.#leases = new Leases(db);
    // Each job waits on the signal, and what it runs may too: that is no leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Resolves when the jobs that must run before the server is ready have run. */
  async start(): Promise<void> {
    for (const job of this.#jobs) {
      if (job.beforeReady && (await this.#mayRun(job))) await job.run(this.#stopping.signal);
    }
    this.#loops = this.#jobs.map((job) => this.#loop(job));
  }

  /** This node has become the owner of a region: what its programs need is not put off until the next turn. */
  ownsMore(): void {
    for (const [job, waker] of this.#wakers) if (job.afterTakeOver) waker.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const waker of this.#wakers.values()) waker.abort();
    await Promise.all(this.#loops);
    await this.#leases.release();
  }

  async #loop(job: BackgroundJob): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const waker = this.#wakers.get(job) ?? this.#newWaker(job);
      await delay(job.everyMs, undefined, { signal: waker.signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      this.#newWaker(job);
      try {
        if (await this.#mayRun(job)) await job.run(signal);
      } catch (error) {
        this.#log.warn(
          { err: error, job: job.name },
          `${job.name} failed and will run again: ${messageOf(error)}`,
        );
      }
    }
  }

  #newWaker(job: BackgroundJob): AbortController {
    const waker = new AbortController();
    this.#wakers.set(job, waker);
    return waker;
  }

  async #mayRun(job: BackgroundJob): Promise<boolean> {
    return !job.exclusive || this.#leases.hold(job.name);
  }
}

/** Leases on names, as advisory locks of one database session: whoever dies loses them at once. */
class Leases {
  readonly #db: Db;
  #session: Promise<pg.PoolClient> | undefined;
  #held = new Set<string>();
  #asking: Promise<unknown> = Promise.resolve();

  constructor(db: Db) {
    this.#db = db;
  }

  /** One question after the other: a session answers only one at a time. */
  hold(name: string): Promise<boolean> {
    if (this.#held.has(name)) return Promise.resolve(true);
    const answer = this.#asking.then(() => this.#ask(name));
    this.#asking = answer.catch(() => undefined);
    return answer;
  }

  async #ask(name: string): Promise<boolean> {
    const client = await this.#connect();
    const key = createHash('sha256').update(name).digest().readInt32BE(0);
    const { rows } = await client.query('select pg_try_advisory_lock(72115, $1) as got', [key]);
    if (rows[0]?.got) this.#held.add(name);
    return this.#held.has(name);
  }

  async release(): Promise<void> {
    const client = await this.#session?.catch(() => undefined);
    this.#forget();
    client?.release(true);
  }

  #connect(): Promise<pg.PoolClient> {
    this.#session ??= this.#db.pool.connect().then((client) => {
      client.on('error', () => {
        this.#forget();
        // Not given back it would stay in the pool, which then could never be closed.
        client.release(true);
      });
      return client;
    });
    this.#session.catch(() => this.#forget());
    return this.#session;
  }

  #forget(): void {
    this.#session = undefined;
    this.#held = new Set();
  }
}
