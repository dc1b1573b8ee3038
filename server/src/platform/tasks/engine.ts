import type { Clock } from '../../kernel/clock.ts';
import { DomainError, messageOf, TaskFailed } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { type Span, type Tracing, traced } from '../tracing/tracing.ts';
import type { Done, OnEnd, TaskHandler, TaskRun, Wait } from './handler.ts';
import { type ClaimedTask, claimTask, fail, finish, LEASE_MS, reschedule } from './queue.ts';
import { asRun } from './running.ts';
import { TASK_ENDED } from './watch.ts';

export interface EngineOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handlers: readonly TaskHandler[];
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly onEnd?: OnEnd;
}

/** A run that was overtaken by another worker: what it found out is void. */
class Overtaken extends Error {}

/** A run is part of what the request has started, though that may be over for long. */
function begin(tracing: Tracing, task: ClaimedTask): Span {
  const parent = task.trace === null ? undefined : { traceparent: task.trace };
  return tracing.begin(`task ${task.type}`, 'consumer', parent, {
    'virga.task_id': task.id,
    'virga.task_type': task.type,
    'virga.task_attempt': task.attempt,
    'virga.request_id': task.request_id ?? undefined,
    'virga.region_id': task.region_id ?? undefined,
  });
}

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 30_000;

/** Runs tasks that were claimed: calls the handler, writes the outcome. Safe to run twice for one task at once. */
export class TaskEngine {
  readonly #options: EngineOptions;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#handlers = new Map(options.handlers.map((handler) => [handler.type, handler]));
  }

  /** One run of a task now, whoever has it and whenever it is due; nothing when it has ended. */
  async runTask(id: string): Promise<void> {
    const { db, clock } = this.#options;
    const task = await claimTask(db, id, {
      leaseMs: LEASE_MS,
      timestamp: clock.timestamp(),
      node: `process ${process.pid}`,
    });
    if (task) await this.run(task);
  }

  /** One run of a task that was claimed.
   *  @returns milliseconds until the next one is due, or undefined: there is none
   *  @throws when it could not be written down how the run went; the lease ends by itself then */
  async run(task: ClaimedTask): Promise<number | undefined> {
    const log = this.#options.log.child({ task: task.id, type: task.type, requestId: task.request_id });
    const run = this.#runOf(task, log);
    try {
      return await asRun(log, () =>
        traced(
          this.#options.tracing,
          (tracing) => begin(tracing, task),
          () => this.#step(task, run),
        ),
      );
    } catch (error) {
      if (!(error instanceof Overtaken)) return this.#retry(task, run, error);
      log.warn('another worker has taken this task over');
      return undefined;
    }
  }

  async #step(task: ClaimedTask, run: TaskRun): Promise<number | undefined> {
    const handler = this.#handlers.get(task.type);
    if (!handler) throw new Error(`this node has no handler for ${task.type}`);
    if (task.failure !== null) return this.#undo(task, run, handler, task.failure);
    if (run.now.getTime() > task.created_at.getTime() + handler.deadlineMs) {
      return this.#giveUp(
        task,
        run,
        new TaskFailed(`${task.type} was not done within ${Math.round(handler.deadlineMs / 1000)} s`),
      );
    }
    try {
      const outcome = await handler.run(run);
      if (outcome.kind === 'wait') return this.#wait(task, outcome);
      await this.#finish(task, run, outcome);
      return undefined;
    } catch (error) {
      if (!(error instanceof TaskFailed)) throw error;
      return this.#giveUp(task, run, error);
    }
  }

  async #undo(
    task: ClaimedTask,
    run: TaskRun,
    handler: TaskHandler,
    reason: string,
  ): Promise<number | undefined> {
    const outcome = await handler.undo(run, reason);
    if (outcome.kind === 'wait') return this.#wait(task, outcome);
    await this.#options.db.transaction(async (tx) => {
      // Nothing, when another run has taken over.
      if (!(await fail(tx, this.#ending(task)))) throw new Overtaken();
      await outcome.commit?.(tx);
    });
    this.#ended(task, 'ERROR');
    run.log.info({ reason }, 'task failed');
    return undefined;
  }

  async #finish(task: ClaimedTask, run: TaskRun, { created, commit }: Done): Promise<void> {
    await this.#options.db.transaction(async (tx) => {
      if (!(await finish(tx, { ...this.#ending(task), created }))) throw new Overtaken();
      await commit?.(tx);
    });
    this.#ended(task, 'FINISHED');
    run.log.info('task finished');
  }

  /** From here on the task is undone until that succeeds; then it is an ERROR. */
  async #giveUp(task: ClaimedTask, run: TaskRun, { message: reason, cause }: Error): Promise<number> {
    await reschedule(this.#options.db, {
      ...this.#ending(task),
      delayMs: 0,
      retries: 0,
      failure: reason,
      step: 'undoing what was done',
    });
    run.log.debug({ reason }, 'task is given up and undone');
    if (cause !== undefined) run.log.warn({ reason }, `task failed: ${messageOf(cause)}`);
    return 0;
  }

  async #wait(task: ClaimedTask, { ms, percent, step }: Wait): Promise<number> {
    await reschedule(this.#options.db, { ...this.#ending(task), delayMs: ms, percent, step, retries: 0 });
    return ms;
  }

  /** Anything but TaskFailed may pass: run again, ever more slowly, until the deadline. */
  async #retry(task: ClaimedTask, run: TaskRun, error: unknown): Promise<number> {
    const retries = task.retries + 1;
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(task.retries, 10));
    run.log[error instanceof DomainError ? 'info' : 'warn'](
      { err: error, retries, delayMs },
      `task is tried again: ${messageOf(error)}`,
    );
    await reschedule(this.#options.db, { ...this.#ending(task), delayMs, retries });
    return delayMs;
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
        subject: task.subject_id ?? '',
        input: task.input,
        createdAt: task.created_at,
        requestId: task.request_id,
      },
      operation: { key: task.id, type: task.type, name: task.subject_name, acceptedAt: task.created_at },
    };
  }
}
