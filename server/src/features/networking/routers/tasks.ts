import type { Tx } from '../../../platform/database/db.ts';
import {
  type Done,
  done,
  type TaskHandler,
  type TaskRun,
  type Wait,
  waitFor,
} from '../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask, undoing } from '../../../platform/tasks/providers.ts';
import { release } from '../../quotas/index.ts';
import { closePorts, readPortsOf } from '../ports/index.ts';
import { applyHeld } from './apply.ts';
import type { RouterDeps } from './service.ts';
import * as store from './store.ts';

const DEADLINE_MS = 15 * 60_000;

/** How a router is to be. A gateway that it is to have it has since the change was accepted. */
export interface RouterUpdate extends store.RouterChange {
  /** Port that a failed change closes again, and port that a finished one closes. */
  readonly opened: string | null;
  readonly closed: string | null;
}

const some = (id: string | null) => (id === null ? [] : [id]);

/** A new router; when that fails, nothing of it is left. */
export const createRouterTask = (deps: RouterDeps): TaskHandler => ({
  type: 'create_router',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { subject, id } = run.task;
    const settle = await applyHeld(run, providerFor(run, deps));
    if (typeof settle !== 'function') return settle;
    return done({ routers: [subject] }, async (tx) => {
      await settle(tx);
      await store.releaseRouters(tx, id);
    });
  },
  undo: (run) => forget(restoring(run), deps),
});

/** Changes a router; when that fails, it is as it was. */
export const updateRouterTask = (deps: RouterDeps): TaskHandler => ({
  type: 'update_router',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const change = run.task.input as RouterUpdate;
    const settle = await applyHeld(run, providerFor(run, deps), change);
    if (typeof settle !== 'function') return settle;
    return done({}, async (tx) => {
      if (!(await store.changeRouter(tx, holdOf(run), change))) return;
      await closePorts(tx, some(change.closed), run.timestamp);
      await settle(tx);
    });
  },
  undo: async (run) => {
    const settle = await applyHeld(restoring(run), providerFor(run, deps));
    if (typeof settle !== 'function') return settle;
    return done({}, async (tx) => {
      await closePorts(tx, some((run.task.input as RouterUpdate).opened), run.timestamp);
      await settle(tx);
      await store.releaseRouters(tx, run.task.id);
    });
  },
});

/** Deletes a router with its ports; when that fails, it is as it was. */
export const deleteRouterTask = (deps: RouterDeps): TaskHandler => ({
  type: 'delete_router',
  deadlineMs: DEADLINE_MS,
  run: (run) => forget(run, deps),
  undo: async (run) => {
    const settle = await applyHeld(restoring(run), providerFor(run, deps));
    if (typeof settle !== 'function') return settle;
    return done({}, async (tx) => {
      await settle(tx);
      await store.releaseRouters(tx, run.task.id);
    });
  },
});

const providerFor = providerOfTask('networks');

/** What a run says that undoes: a simulated region does that at once. */
const restoring = (run: TaskRun): TaskRun => ({ ...run, operation: undoing(run, 'restore_router') });

async function forget(run: TaskRun, deps: RouterDeps): Promise<Done | Wait> {
  const { task, timestamp } = run;
  const gone = await providerFor(run, deps).remove({ kind: 'router', id: task.subject }, run.operation);
  const forgotten = done({}, async (tx) => {
    if (await removeRouter(tx, task.subject, task.id, timestamp))
      await release(tx, task, { router_count: 1 });
  });
  return waitFor(gone) ?? forgotten;
}

/** Removes a router that the task holds, with its ports.
 *  @returns whether it was there */
export async function removeRouter(tx: Tx, id: string, taskId: string, timestamp: string): Promise<boolean> {
  const ports = await readPortsOf(tx, 'router', [id]);
  if (!(await store.deleteRouter(tx, id, taskId))) return false;
  await closePorts(
    tx,
    ports.map((port) => port.id),
    timestamp,
  );
  return true;
}
