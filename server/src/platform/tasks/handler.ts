import { TaskFailed } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import type { Db, Tx } from '../database/db.ts';
import type { Created } from './created-resources.ts';

/** One run of a task. A task may be run many times: after a `wait`, a crash, or a transient error. */
export interface TaskRun<Input = unknown> {
  readonly db: Db;
  readonly log: Logger;
  readonly now: Date;
  /** Microsecond timestamp for rows written by this run. */
  readonly timestamp: string;
  readonly task: {
    readonly id: string;
    readonly type: string;
    readonly clientId: number;
    readonly projectId: number | null;
    readonly regionId: number | null;
    readonly userId: number;
    /** Id of the resource it works on. */
    readonly subject: string;
    readonly input: Input;
    readonly createdAt: Date;
    readonly requestId: string | null;
  };
  /** What providers get to know. */
  readonly operation: Operation;
}

/** Is notified of each task that ends, with how long it took since it was accepted. */
export type OnEnd = (type: string, state: 'FINISHED' | 'ERROR', seconds: number) => void;

export interface Done {
  readonly kind: 'done';
  readonly created: Created;
  /** Writes the outcome, in the same transaction as FINISHED. */
  readonly commit: ((tx: Tx) => Promise<void>) | undefined;
}

export interface Wait {
  readonly kind: 'wait';
  readonly ms: number;
  readonly percent: number | undefined;
  readonly step: string | undefined;
}

export interface TaskHandler {
  readonly type: string;
  /** Milliseconds after acceptance at which a task that still is not done has failed. */
  readonly deadlineMs: number;
  /** No fault of a simulated region strikes it: no provider takes part, or the work is that of its parts. */
  readonly withoutFaults?: true;
  /** Brings the work forward from wherever reality stands. Calls providers without a transaction open.
   *  @throws TaskFailed to give up with a reason for the user; anything else is tried again */
  run(run: TaskRun): Promise<Done | Wait>;
  /** Undoes what a failed task did; repeatable. `commit` frees quota and rows together with ERROR. */
  undo(run: TaskRun, reason: string): Promise<Done | Wait>;
}

/** The work is done; `commit` writes its outcome together with FINISHED. */
export function done(created: Created = {}, commit?: (tx: Tx) => Promise<void>): Done {
  return { kind: 'done', created, commit };
}

/** Makes steps of tasks about the row that is their subject: there is nothing to do once the task does not hold it.
 *  @param readHeld of the row's `heldTable` */
export const whileHeldBy =
  <Row>(readHeld: (db: Db, id: string, taskId: string) => Promise<Row | undefined>) =>
  (step: (run: TaskRun, row: Row) => Promise<Done | Wait>) =>
  async (run: TaskRun): Promise<Done | Wait> => {
    const row = await readHeld(run.db, run.task.subject, run.task.id);
    return row ? step(run, row) : done();
  };

/** Run me again in `ms` milliseconds. */
export function wait(ms: number, percent?: number, step?: string): Wait {
  return { kind: 'wait', ms, percent, step };
}

/** Work of an undoing, which must come to an end.
 *  @returns whether it succeeded, once that is known */
export async function attempt(work: () => Promise<Wait | undefined>): Promise<Wait | boolean> {
  try {
    return (await work()) ?? true;
  } catch (error) {
    if (error instanceof TaskFailed) return false;
    throw error;
  }
}

/** The outcome for a provider's progress: wait for it, or go on. */
export function waitFor(progress: Progress): Wait | undefined {
  return progress.ready ? undefined : wait(progress.retryInMs, progress.percent, progress.step);
}
