import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { BackgroundJob } from '../feature.ts';
import type { Backlog } from '../metrics/cluster.ts';
import type { OnEnd, TaskHandler } from './handler.ts';
import { abandon, countLate, giveUpHanging, type Late, type LateTask } from './late.ts';
import { Locks, type LostLock, type WhenLost } from './locks.ts';
import { TASK_DUE } from './queue.ts';
import { TASK_ENDED } from './watch.ts';

/** A task of which nothing was heard for this long hangs: a run that goes on says so, or ends. */
const SILENT_MS = 5 * 60_000;
/** A task that is past its deadline is undone, which may take as long again. */
const DEADLINES_TO_END = 2;
/** Attempts in a row to undo that failed. */
const MOST_RETRIES = 3;
/** For a type that this node does not know. */
const LONGEST_DEADLINE_MS = 60 * 60_000;
const LOOK_EVERY_MS = 10_000;

export interface WatchdogOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handlers: readonly TaskHandler[];
  readonly held: readonly WhenLost[];
  readonly onEnd?: OnEnd;
}

/** Sees to it that every task ends and that no lock outlives its task, whatever happens to who works on it. In the
 *  ordinary course of things the engine ends every task by its deadline, and there is nothing to do here.
 *
 *  1. A task that hangs beyond its deadline is undone by another run, like any that is late.
 *  2. One whose undoing hangs or fails again and again is ended.
 *  3. What is held by a task that has ended, or is gone, is released. */
export class TaskWatchdog {
  readonly #options: WatchdogOptions;
  readonly #deadlines: readonly (readonly [type: string, ms: number])[];
  readonly #locks: Locks;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#deadlines = options.handlers.map(({ type, deadlineMs }) => [type, deadlineMs]);
    this.#locks = new Locks(options.db, options.held);
  }

  get job(): BackgroundJob {
    return { name: 'tasks-watchdog', everyMs: LOOK_EVERY_MS, exclusive: true, run: () => this.run() };
  }

  /** Tasks that are past their deadline: an alert is due when there are some. */
  get backlog(): Backlog {
    return {
      name: 'tasks_late',
      help: 'Tasks that are past their deadline and have not ended',
      count: (db) => countLate(db, { deadlines: this.#deadlines, defaultMs: LONGEST_DEADLINE_MS }),
    };
  }

  /** When a task that was accepted then must have ended, before it is undone. */
  deadlineOf(type: string, createdAt: Date): Date {
    const [, ms] = this.#deadlines.find(([known]) => known === type) ?? ['', LONGEST_DEADLINE_MS];
    return new Date(createdAt.getTime() + ms);
  }

  /** Releases what is held by tasks that have ended. */
  release(): Promise<readonly LostLock[]> {
    return this.#locks.releaseLost();
  }

  async run(): Promise<void> {
    const { db, clock, log, onEnd } = this.#options;
    const late: Late = {
      deadlines: this.#deadlines,
      defaultMs: LONGEST_DEADLINE_MS,
      now: clock.now(),
      timestamp: clock.timestamp(),
      silentMs: SILENT_MS,
    };
    for (const task of await giveUpHanging(db, late)) {
      db.notify(TASK_DUE, '');
      log.error(named(task), 'a task hangs beyond its deadline: it is undone');
    }
    for (const task of await abandon(db, late, { factor: DEADLINES_TO_END, retries: MOST_RETRIES })) {
      db.notify(TASK_ENDED, task.id);
      onEnd?.(task.type, 'ERROR', (late.now.getTime() - task.created_at.getTime()) / 1000);
      log.error(named(task), 'a task could not be undone: given up');
    }
    for (const lost of await this.#locks.releaseLost()) {
      log.error({ task: lost.taskId, ...lost }, 'a task had ended without letting go of what it held');
    }
  }
}

/** A task in the log, as the engine names it. */
const named = ({ id, type, request_id }: LateTask) => ({ task: id, type, requestId: request_id });
