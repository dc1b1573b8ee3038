import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger as GraphileLogger, type Runner, run } from 'graphile-worker';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { TaskEngine } from './engine.ts';

export interface JobRunnerOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly engine: TaskEngine;
  /** Which jobs it takes. */
  readonly identifier: string;
  /** Tasks worked on at the same time. */
  readonly concurrency: number;
  /** Called when it has begun under a new name. */
  readonly onBegin: () => Promise<void>;
  /** Called with the names under which it will not be heard of again; their jobs go back. */
  readonly onGiveUp: (poolIds: readonly string[]) => Promise<void>;
}

const PAUSE_MS = 1000;

/** Takes one kind of jobs from the queue until it is stopped, whatever happens to the database meanwhile. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  #runner: Runner | undefined;
  #poolIds: readonly string[] = [];
  #stopping = false;
  /** The queue's runner being replaced. */
  #replacing: Promise<void> = Promise.resolve();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** The names under which it holds jobs. */
  get poolIds(): readonly string[] {
    return this.#poolIds;
  }

  async start(): Promise<void> {
    const { db, engine, log, identifier, concurrency, onBegin } = this.#options;
    const events = new EventEmitter();
    const poolIds: string[] = [];
    events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
      poolIds.push(workerPool.id);
    });
    const runner = await run({
      pgPool: db.pool,
      concurrency,
      noHandleSignals: true,
      logger: graphileLogger(log),
      events,
      preset: { worker: { localQueue: { size: 64 }, completeJobBatchDelay: 0, pollInterval: 1000 } },
      taskList: { [identifier]: async (payload) => engine.runTask((payload as { task: string }).task) },
    });
    this.#runner = runner;
    this.#poolIds = poolIds;
    const ended = () => {
      if (!this.#stopping) this.#replacing = this.#replace();
    };
    runner.promise.then(ended, ended);
    await onBegin();
  }

  /** Takes no more jobs and waits for those that run; jobs not begun go back to the queue. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#replacing;
    await this.#runner?.stop();
  }

  /** The queue gives up for good when it cannot write down what is done, for example while the database is away.
   *  What it held goes back, and a new one begins as soon as that is possible. */
  async #replace(): Promise<void> {
    const { log, onGiveUp } = this.#options;
    log.error('the queue gave up; it begins anew');
    const given = this.#poolIds;
    this.#runner = undefined;
    this.#poolIds = [];
    while (!this.#stopping) {
      try {
        await onGiveUp(given);
        return await this.start();
      } catch (error) {
        log.warn(`the queue could not begin anew: ${messageOf(error)}`);
        await delay(PAUSE_MS);
      }
    }
  }
}

function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log[level === 'error' ? 'error' : 'warn'](message);
    else log.trace(message);
  });
}
