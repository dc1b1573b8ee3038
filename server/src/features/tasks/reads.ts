import { timeOf } from '../../kernel/codecs.ts';
import { Conflict, Unauthenticated } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { INVALID_TOKEN } from '../../platform/auth/caller.ts';
import type { Db } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import { byKey, SharedLookUp } from '../../platform/database/shared-look-up.ts';
import type { ProjectScope, RequestContext } from '../../platform/http/context.ts';
import { type SlotLimits, Slots } from '../../platform/http/slots.ts';
import type { TaskRef } from '../../platform/tasks/start.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import { type LockRow, listLocks } from './lock-store.ts';
import type { Task, TaskLocksQuery, TaskSubject } from './schema.ts';
import { missing, viewTask } from './service.ts';
import { readTasks, type TaskRow } from './store.ts';
import { parentOf } from './subjects.ts';

const hasEnded = (task: Task) => task.state === 'FINISHED' || task.state === 'ERROR';

/** How long a call that answers without a task waits for the one that does its work. */
const SETTLE_SECONDS = 5;
/** Waits that a token, and all of them together, may have open on one node. */
export const WAITS: SlotLimits = { perCaller: 200, inAll: 5000 };
/** Milliseconds from the start of a task during which a read that says nothing about waiting is answered at its end.
 *  Clients look once they have the id, and again only after a second or more; most tasks of a region on this machine
 *  end between the two. */
export const YOUNG_MS = 250;

export interface TaskReadOptions {
  /** Default: WAITS. */
  readonly waits?: SlotLimits | undefined;
  /** Default: YOUNG_MS. */
  readonly youngMs?: number | undefined;
}

/** Reads of one task, the most frequent request there is: clients ask until it has ended. */
export class TaskReads {
  readonly #watcher: TaskWatcher;
  readonly #tasks: SharedLookUp<string, TaskRow>;
  readonly #waits: Slots;
  readonly #youngMs: number;

  constructor(db: Db, watcher: TaskWatcher, { waits = WAITS, youngMs = YOUNG_MS }: TaskReadOptions = {}) {
    this.#watcher = watcher;
    this.#waits = new Slots('waits for tasks', waits);
    this.#youngMs = youngMs;
    this.#tasks = new SharedLookUp(async (ids) => byKey(await readTasks(db, ids), 'id'));
  }

  /** @throws NotFound, also for a task of another client unless an operator asks */
  async get(ctx: RequestContext, id: string): Promise<Task> {
    return viewTask(await this.#find(ctx, id));
  }

  async #find(ctx: RequestContext, id: string): Promise<TaskRow> {
    const row = isUuid(id) ? await this.#tasks.get(id.toLowerCase()) : undefined;
    const isSeen = ctx.caller.role === 'operator' || row?.client_id === ctx.caller.clientId;
    if (!row || !isSeen) throw missing(id);
    return row;
  }

  /** What a task has locked: changes of these are refused until it ends. @throws NotFound */
  async locks(ctx: RequestContext, id: string, { limit, offset }: TaskLocksQuery) {
    await this.get(ctx, id);
    return viewPage(await listLocks(ctx.db, id, { limit, offset }), viewLock);
  }

  /** The task once it has ended, or as it is after `seconds`.
   *  @param seconds undefined: for as long as the task is young, and not at all when all waits are taken
   *  @throws NotFound, Unauthenticated when the caller's credential ends meanwhile, TooManyRequests for one wait too
   *  many */
  async await(ctx: RequestContext, id: string, seconds: number | undefined): Promise<Task> {
    if (seconds === undefined) return this.#awaitYoung(ctx, id);
    if (seconds === 0) return this.get(ctx, id);
    return this.#waitIn(this.#waits.acquire(ctx.caller), ctx, id, seconds);
  }

  async #awaitYoung(ctx: RequestContext, id: string): Promise<Task> {
    const row = await this.#find(ctx, id);
    const task = viewTask(row);
    if (hasEnded(task)) return task;
    const ageMs = ctx.clock.now().getTime() - timeOf(row.created_at);
    const isYoung = ageMs >= 0 && ageMs < this.#youngMs;
    const release = isYoung ? this.#waits.acquireIfFree(ctx.caller) : undefined;
    return release ? this.#waitIn(release, ctx, id, (this.#youngMs - ageMs) / 1000) : task;
  }

  async #waitIn(release: () => void, ctx: RequestContext, id: string, seconds: number): Promise<Task> {
    try {
      return await this.#wait(ctx, id, seconds);
    } finally {
      release();
    }
  }

  async #wait(ctx: RequestContext, id: string, seconds: number): Promise<Task> {
    const until = ctx.clock.now().getTime() + seconds * 1000;
    const revoked = ctx.revocation();
    for (;;) {
      const remaining = until - ctx.clock.now().getTime();
      const wait = this.#watcher.waitFor(id.toLowerCase(), Math.max(0, remaining));
      revoked.addEventListener('abort', wait.cancel);
      try {
        await wait.ready;
        const task = await this.get(ctx, id);
        if (revoked.aborted) throw new Unauthenticated(INVALID_TOKEN);
        if (hasEnded(task) || remaining <= 0 || this.#watcher.closed) return task;
        await wait.over;
      } finally {
        revoked.removeEventListener('abort', wait.cancel);
        wait.cancel();
      }
    }
  }

  /** Waits for a task that a call has started which answers without it; one that takes its time ends later.
   *  @param failure what is said when it fails, before the reason
   *  @throws Conflict */
  async settled(
    ctx: RequestContext & { readonly project?: ProjectScope },
    { tasks }: TaskRef,
    failure: string,
  ): Promise<void> {
    // An operator may do this to another client's project, whose task it is then.
    const owner = {
      ...ctx,
      caller: { ...ctx.caller, clientId: ctx.project?.clientId ?? ctx.caller.clientId },
    };
    for (const id of tasks) {
      const { state, error } = await this.#wait(owner, id, SETTLE_SECONDS);
      if (state === 'ERROR') throw new Conflict(`${failure}: ${error}`);
    }
  }
}

const viewLock = ({ type, id, name, parent_id, parent_name }: LockRow): TaskSubject => ({
  type,
  id,
  name: name === '' ? null : name,
  parent: parentOf(type, parent_id, parent_name),
});
