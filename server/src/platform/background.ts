import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import type { Db } from './database/db.ts';
import type { BackgroundJob } from './feature.ts';
import { Leases } from './leases.ts';

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
