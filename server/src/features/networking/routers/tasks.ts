import type { Tx } from '../../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import { holdOf, providerOfTask } from '../../../platform/tasks/providers.ts';
import { release } from '../../quotas/index.ts';
import { closePorts, readPortsOf } from '../ports/index.ts';
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
    const settled = done({ routers: [subject] }, (tx) => store.releaseRouters(tx, id));
    return (await provided(run, deps)) ?? settled;
  },
  undo: async (run) => done({}, (tx) => forget(run, tx)),
});

/** Changes a router; when that fails, it is as it was. */
export const updateRouterTask = (deps: RouterDeps): TaskHandler => ({
  type: 'update_router',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const change = run.task.input as RouterUpdate;
    const changed = done({}, async (tx) => {
      if (await store.changeRouter(tx, holdOf(run), change)) {
        await closePorts(tx, some(change.closed), run.timestamp);
      }
    });
    return (await provided(run, deps)) ?? changed;
  },
  undo: async (run) =>
    done({}, async (tx) => {
      await closePorts(tx, some((run.task.input as RouterUpdate).opened), run.timestamp);
      await store.releaseRouters(tx, run.task.id);
    }),
});

/** Deletes a router with its ports; when that fails, it is as it was. */
export const deleteRouterTask = (deps: RouterDeps): TaskHandler => ({
  type: 'delete_router',
  deadlineMs: DEADLINE_MS,
  run: async (run) => (await provided(run, deps)) ?? done({}, (tx) => forget(run, tx)),
  undo: async (run) => done({}, (tx) => store.releaseRouters(tx, run.task.id)),
});

const providerFor = providerOfTask('networks');

async function provided(run: TaskRun, deps: RouterDeps) {
  return waitFor(await providerFor(run, deps).changeNetwork(run.operation));
}

async function forget({ task, timestamp }: TaskRun, tx: Tx): Promise<void> {
  if (await removeRouter(tx, task.subject, task.id, timestamp)) await release(tx, task, { router_count: 1 });
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
