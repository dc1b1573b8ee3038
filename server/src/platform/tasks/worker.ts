import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger as GraphileLogger, type Runner, run } from 'graphile-worker';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { TaskEngine } from './engine.ts';
import { RUN_TASK } from './start.ts';
import { dropDeadJobs, hurryFailedJobs, requeueOrphans } from './store.ts';

export interface WorkerOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly engine: TaskEngine;
  /** Tasks worked on at the same time. */
  readonly concurrency?: number;
}

const BEAT_MS = 1000;
/** A worker silent for this long is given up and its jobs go to the others. */
const SILENT_MS = 4000;

const DEAD = `update workers set seen_at = '-infinity' where id = any($1)`;

/** Takes jobs from the queue, says that it is alive, and takes over from workers that no longer are. */
export class Worker {
  readonly #options: WorkerOptions;
  #runner: Runner | undefined;
  #stopping = false;
  /** The queue's runner being replaced. */
  #replacing: Promise<void> = Promise.resolve();
  #beat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #poolIds: string[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#forgetDeadNeighbours();
    await this.#takeOver();
    await this.#begin();
    this.#scheduleBeat();
  }

  /** Starts taking jobs, under a name of its own. */
  async #begin(): Promise<void> {
    const { db, engine, log } = this.#options;
    const events = new EventEmitter();
    const poolIds: string[] = [];
    events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
      poolIds.push(workerPool.id);
    });
    const runner = await run({
      pgPool: db.pool,
      concurrency: this.#options.concurrency ?? 16,
      noHandleSignals: true,
      logger: graphileLogger(log),
      events,
      preset: { worker: { localQueue: { size: 64 }, completeJobBatchDelay: 0, pollInterval: 1000 } },
      taskList: {
        [RUN_TASK]: async (payload) => engine.runTask((payload as { task: string }).task),
      },
    });
    this.#runner = runner;
    this.#poolIds = poolIds;
    const ended = () => {
      if (!this.#stopping) this.#replacing = this.#replace();
    };
    runner.promise.then(ended, ended);
    await this.#sayAlive();
  }

  /** The queue gives up for good when it cannot write down what is done, for example while the database is away.
   *  What it held goes back, and a new one begins as soon as that is possible. */
  async #replace(): Promise<void> {
    const { db, log } = this.#options;
    log.error('the queue gave up; it begins anew');
    const given = this.#poolIds;
    this.#runner = undefined;
    this.#poolIds = [];
    while (!this.#stopping) {
      try {
        await db.named('workers_dead', DEAD, [given]);
        await this.#takeOver();
        return await this.#begin();
      } catch (error) {
        log.warn(`the queue could not begin anew: ${messageOf(error)}`);
        await delay(BEAT_MS);
      }
    }
  }

  /** Takes no more jobs and waits for those that run; jobs not begun go back to the queue. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#beat);
    this.#beat = undefined;
    await this.#beating;
    await this.#replacing;
    await this.#runner?.stop();
    await this.#options.db.named('worker_leave', 'delete from workers where id = any($1)', [this.#poolIds]);
  }

  #scheduleBeat(): void {
    this.#beat = setTimeout(() => {
      this.#beating = this.#beatOnce();
    }, BEAT_MS);
  }

  async #beatOnce(): Promise<void> {
    try {
      await this.#sayAlive();
      await this.#takeOver();
    } catch (error) {
      this.#options.log.warn(`heartbeat failed: ${messageOf(error)}`);
    }
    if (this.#beat) this.#scheduleBeat();
  }

  async #sayAlive(): Promise<void> {
    for (const id of this.#poolIds) {
      await this.#options.db.named(
        'worker_beat',
        `insert into workers (id, host, pid, started_at, seen_at) values ($1, $2, $3, now(), now())
         on conflict (id) do update set seen_at = now()`,
        [id, hostname(), process.pid],
      );
    }
  }

  /** After a crash the jobs of our own predecessor need not wait until it counts as silent. */
  async #forgetDeadNeighbours(): Promise<void> {
    const { db } = this.#options;
    const here = await db.named<{ id: string; pid: number }>(
      'workers_here',
      'select id, pid from workers where host = $1',
      [hostname()],
    );
    const dead = here.filter(({ pid }) => !isAlive(pid)).map(({ id }) => id);
    await db.named('workers_dead', DEAD, [dead]);
  }

  /** Unlocks the jobs of silent workers, and of those that nobody has ever heard of. */
  async #takeOver(): Promise<void> {
    const { db, log } = this.#options;
    const silent = await db.named<{ id: string }>(
      'workers_silent',
      `delete from workers where seen_at < now() - $1::float8 * interval '1 millisecond' returning id`,
      [SILENT_MS],
    );
    const strangers = await db.named<{ id: string }>(
      'workers_unknown',
      `select distinct locked_by as id from graphile_worker.jobs
        where locked_by is not null and locked_at < now() - $1::float8 * interval '1 millisecond'
          and locked_by not in (select id from workers)`,
      [SILENT_MS],
    );
    const gone = [...new Set([...silent, ...strangers].map(({ id }) => id))];
    if (gone.length > 0) {
      log.warn({ workers: gone }, 'taking over the tasks of workers that stopped answering');
      await db.named('workers_unlock', 'select graphile_worker.force_unlock_workers($1::text[])', [gone]);
    }
    await dropDeadJobs(db);
    await hurryFailedJobs(db);
    const orphans = await requeueOrphans(db);
    if (orphans > 0) log.warn({ orphans }, 'ordered a new run for tasks whose job was lost');
  }
}

function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log[level === 'error' ? 'error' : 'warn'](message);
    else log.trace(message);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
