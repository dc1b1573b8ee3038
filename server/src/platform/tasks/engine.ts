import type { Clock } from '../../kernel/clock.ts';
import { DomainError, messageOf, TaskFailed } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db, Tx } from '../database/db.ts';
import { byKey, SharedLookUp } from '../database/shared-look-up.ts';
import type { Done, TaskHandler, TaskRun, Wait } from './handler.ts';
import { type ClaimedTask, claim, fail, finish, reschedule } from './store.ts';
import { TASK_ENDED } from './watch.ts';

export interface EngineOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handlers: readonly TaskHandler[];
  /** Whether this node may work on a region's data plane. Absent: on any. */
  readonly serves?: (regionId: number) => boolean;
  readonly onEnd?: (type: string, state: 'FINISHED' | 'ERROR', seconds: number) => void;
}

/** A run that was overtaken by another worker: what it found out is void. */
class Overtaken extends Error {}

const HANDED_ON = { delayMs: 200, retries: 0 };
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 30_000;

/** Runs tasks: claims, calls the handler, writes the outcome. Safe to run twice for one task at once. */
export class TaskEngine {
  readonly #options: EngineOptions;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #claims: SharedLookUp<string, ClaimedTask>;
  readonly #claiming = new Set<string>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#handlers = new Map(options.handlers.map((handler) => [handler.type, handler]));
    const { db, clock } = options;
    this.#claims = new SharedLookUp(async (ids) => byKey(await claim(db, ids, clock.timestamp()), 'id'));
  }

  async runTask(id: string): Promise<void> {
    const task = await this.#claim(id);
    if (!task) return;
    if (!this.#isForUs(task)) return reschedule(this.#options.db, { ...this.#ending(task), ...HANDED_ON });
    const log = this.#options.log.child({ task: id, type: task.type, requestId: task.request_id });
    const run = this.#runOf(task, log);
    try {
      await this.#step(task, run);
    } catch (error) {
      if (error instanceof Overtaken) log.warn('another worker has taken this task over');
      else await this.#retry(task, run, error);
    }
  }

  /** A job may have been fetched, or ordered, before its region's owner changed: ordered anew it goes to that one. */
  #isForUs({ region_id: regionId }: ClaimedTask): boolean {
    return regionId === null || (this.#options.serves?.(regionId) ?? true);
  }

  /** A claim belongs to one run: another one that comes at the same moment would do the same work, and leaves it. */
  async #claim(id: string): Promise<ClaimedTask | undefined> {
    if (this.#claiming.has(id)) return undefined;
    this.#claiming.add(id);
    try {
      return await this.#claims.get(id);
    } finally {
      this.#claiming.delete(id);
    }
  }

  async #step(task: ClaimedTask, run: TaskRun): Promise<void> {
    const handler = this.#handlers.get(task.type);
    if (!handler) throw new Error(`this node has no handler for ${task.type}`);
    if (task.failure !== null) return this.#undo(task, run, handler, task.failure);
    if (run.now.getTime() > task.created_at.getTime() + handler.deadlineMs) {
      return this.#giveUp(
        task,
        run,
        `${task.type} was not done within ${Math.round(handler.deadlineMs / 1000)} s`,
      );
    }
    try {
      const outcome = await handler.run(run);
      if (outcome.kind === 'wait') return this.#wait(task, outcome);
      await this.#finish(task, outcome);
    } catch (error) {
      if (!(error instanceof TaskFailed)) throw error;
      await this.#giveUp(task, run, error.message);
    }
  }

  async #undo(task: ClaimedTask, run: TaskRun, handler: TaskHandler, reason: string): Promise<void> {
    const outcome = await handler.undo(run, reason);
    if (outcome.kind === 'wait') return this.#wait(task, outcome);
    await this.#end(outcome, (tx) => fail(tx, this.#ending(task)));
    this.#ended(task, 'ERROR');
    run.log.info({ reason }, 'task failed');
  }

  async #finish(task: ClaimedTask, outcome: Done): Promise<void> {
    await this.#end(outcome, (tx) => finish(tx, this.#ending(task), outcome.created));
    this.#ended(task, 'FINISHED');
  }

  /** Writes the outcome and the end together, or nothing when another run has taken over. */
  async #end({ commit }: Done, end: (tx: Tx) => Promise<boolean>): Promise<void> {
    await this.#options.db.transaction(async (tx) => {
      if (!(await end(tx))) throw new Overtaken();
      await commit?.(tx);
    });
  }

  /** From here on the task is undone until that succeeds; then it is an ERROR. */
  async #giveUp(task: ClaimedTask, run: TaskRun, reason: string): Promise<void> {
    await reschedule(this.#options.db, { ...this.#ending(task), delayMs: 0, retries: 0, failure: reason });
    run.log.debug({ reason }, 'task is given up and undone');
  }

  async #wait(task: ClaimedTask, { ms, percent, step }: Wait): Promise<void> {
    await reschedule(this.#options.db, { ...this.#ending(task), delayMs: ms, percent, step, retries: 0 });
  }

  /** Anything but TaskFailed may pass: run again, ever more slowly, until the deadline. */
  async #retry(task: ClaimedTask, run: TaskRun, error: unknown): Promise<void> {
    const retries = task.retries + 1;
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(task.retries, 10));
    run.log[error instanceof DomainError ? 'info' : 'warn'](
      { err: error, retries, delayMs },
      `task is tried again: ${messageOf(error)}`,
    );
    await reschedule(this.#options.db, { ...this.#ending(task), delayMs, retries });
  }

  #ending(task: ClaimedTask) {
    return { id: task.id, attempt: task.attempt, timestamp: this.#options.clock.timestamp() };
  }

  #ended(task: ClaimedTask, state: 'FINISHED' | 'ERROR'): void {
    this.#options.db.notify(TASK_ENDED, task.id);
    const seconds = (this.#options.clock.now().getTime() - task.created_at.getTime()) / 1000;
    this.#options.onEnd?.(task.type, state, seconds);
  }

  #runOf(task: ClaimedTask, log: Logger): TaskRun {
    const { db, clock } = this.#options;
    return {
      db,
      log,
      now: clock.now(),
      timestamp: clock.timestamp(),
      task: {
        id: task.id,
        type: task.type,
        clientId: task.client_id,
        projectId: task.project_id,
        regionId: task.region_id,
        userId: task.user_id,
        subject: task.subject_id,
        input: task.input,
        createdAt: task.created_at,
        requestId: task.request_id,
      },
      operation: { key: task.id, type: task.type, name: task.subject_name, acceptedAt: task.created_at },
    };
  }
}
