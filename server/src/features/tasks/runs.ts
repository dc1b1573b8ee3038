import { offsetTime } from '../../kernel/codecs.ts';
import { Conflict } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { endTask, undoTask } from '../../platform/tasks/give-up.ts';
import { TASK_DUE } from '../../platform/tasks/queue.ts';
import { TASK_ENDED } from '../../platform/tasks/watch.ts';
import type { TaskWatchdog } from '../../platform/tasks/watchdog.ts';
import type { TaskReads } from './reads.ts';
import type { OperatorTaskQuery, RunOfTask } from './run-schema.ts';
import { listRuns, type RunRow, readRun } from './run-store.ts';
import { missing, viewTask } from './service.ts';

/** How tasks are worked on, and their ends before they end by themselves. */

export type Watchdog = Pick<TaskWatchdog, 'deadlineOf' | 'release'>;

const CANCELLED = 'It was cancelled';

export class TaskRuns {
  readonly #reads: TaskReads;
  readonly #watchdog: () => Watchdog;

  constructor(reads: TaskReads, watchdog: () => Watchdog) {
    this.#reads = reads;
    this.#watchdog = watchdog;
  }

  /** @throws NotFound, also for a task of another client */
  async get(ctx: RequestContext, id: string): Promise<RunOfTask> {
    const row = await find(ctx, id);
    return { ...this.#view(row), node: null };
  }

  /** For operators: a task of any client, once it has ended or after `seconds`.
   *  @throws NotFound, TooManyRequests like `TaskReads.await` */
  async getOfAny(ctx: RequestContext, id: string, seconds: number | undefined) {
    const task = await this.#reads.await(ctx, id, seconds);
    return { task, run: this.#view(await find(ctx, id)) };
  }

  async list(ctx: RequestContext, query: OperatorTaskQuery) {
    return viewPage(await listRuns(ctx.db, query), (row) => ({ task: viewTask(row), run: this.#view(row) }));
  }

  /** Has a task undone: it ends in ERROR, with everything as it was before it.
   *  @throws NotFound, also for a task of another client unless an operator asks; Conflict for one that has ended or is
   *  being undone */
  async cancel(ctx: RequestContext, id: string): Promise<RunOfTask> {
    const isOperator = ctx.caller.role === 'operator';
    const reason = isOperator ? `${CANCELLED} by the operator` : CANCELLED;
    const row = await find(ctx, id);
    const done = await ctx.db.transaction(async (tx) => {
      if (!(await undoTask(tx, { id, reason, timestamp: ctx.clock.timestamp() }))) return false;
      await record(tx, ctx, row, 'cancel_task');
      tx.afterCommit(() => ctx.db.notify(TASK_DUE, ''));
      return true;
    });
    const now = await find(ctx, id);
    if (done) return { ...this.#view(now), node: isOperator ? now.node : null };
    const why = now.phase === 'ended' ? 'has ended' : `is being undone: ${now.failure}`;
    throw new Conflict(`Task ${id} ${why}`);
  }

  /** Ends a task that can neither be done nor undone, and what it holds is free. What it has begun stays as it is.
   *  @throws NotFound, Conflict for one that has ended */
  async end(ctx: RequestContext, id: string, reason: string): Promise<RunOfTask> {
    const row = await find(ctx, id);
    const done = await ctx.db.transaction(async (tx) => {
      if (!(await endTask(tx, { id, reason, timestamp: ctx.clock.timestamp() }))) return false;
      await record(tx, ctx, row, 'end_task');
      tx.afterCommit(() => ctx.db.notify(TASK_ENDED, id));
      return true;
    });
    if (!done) throw new Conflict(`Task ${id} has ended`);
    await this.#watchdog().release();
    return this.#view(await find(ctx, id));
  }

  #view(row: RunRow): RunOfTask {
    const runsLater = row.phase === 'pausing';
    return {
      task_id: row.id,
      phase: row.phase,
      since: offsetTime(row.heard_at),
      is_undone: row.failure !== null && row.phase !== 'ended',
      failure: row.failure,
      attempts: row.attempt,
      retries: row.retries,
      runs_again_at: runsLater ? offsetTime(row.run_at) : null,
      deadline_at: offsetTime(this.#watchdog().deadlineOf(row.type, row.accepted_at)),
      node: row.node,
    };
  }
}

/** @throws NotFound, also for a task of another client unless an operator asks */
async function find({ db, caller }: RequestContext, id: string): Promise<RunRow> {
  const clientId = caller.role === 'operator' ? undefined : caller.clientId;
  const row = isUuid(id) ? await readRun(db, id.toLowerCase(), clientId) : undefined;
  if (!row) throw missing(id);
  return row;
}

/** In the log of the client whose task it is. */
const record = (tx: Tx, ctx: RequestContext, row: RunRow, action: string) =>
  recordAudit(tx, ctx, { action, subject: row.id, name: row.type, clientId: row.client_id });
