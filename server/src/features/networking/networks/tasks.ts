import { holdOf, providerOfTask } from '../../../platform/tasks/providers.ts';

export { holdOf } from '../../../platform/tasks/providers.ts';

import { done, type TaskHandler, type TaskRun, type Wait, waitFor } from '../../../platform/tasks/handler.ts';
import { release } from '../../quotas/index.ts';
import type { NetworkDeps } from './service.ts';
import { deleteNetwork, type NetworkChange, releaseNetwork } from './store.ts';

export const DEADLINE_MS = 15 * 60_000;

const providerFor = providerOfTask('networks');

/** Waits for the region's provider. */
export async function provided(run: TaskRun, deps: NetworkDeps): Promise<Wait | undefined> {
  return waitFor(await providerFor(run, deps).changeNetwork(run.operation));
}

const forget = ({ task, timestamp }: TaskRun, { routers }: NetworkDeps) =>
  done({}, async (tx) => {
    const { subject, id } = task;
    const gone = await routers.drop(tx, subject, id, timestamp);
    const subnets = await deleteNetwork(tx, subject, id);
    if (subnets === undefined) return;
    await release(tx, task, { network_count: 1, subnet_count: subnets, router_count: gone });
  });

/** A new network; when that fails, nothing of it is left. */
export const createNetworkTask = (deps: NetworkDeps): TaskHandler => ({
  type: 'create_network',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { subject, id } = run.task;
    const waiting = await provided(run, deps);
    if (waiting) return waiting;
    const routers = await deps.routers.heldBy(run.db, id);
    return done({ networks: [subject], routers }, async (tx) => {
      await deps.routers.settle(tx, id);
      await releaseNetwork(tx, holdOf(run));
    });
  },
  undo: async (run) => forget(run, deps),
});

export const updateNetworkTask = (): TaskHandler => ({
  type: 'update_network',
  deadlineMs: DEADLINE_MS,
  run: async (run) => {
    const change = run.task.input as NetworkChange;
    return done({}, (tx) => releaseNetwork(tx, holdOf(run), change));
  },
  undo: async (run) => done({}, (tx) => releaseNetwork(tx, holdOf(run))),
});

/** Deletes a network with its subnets and its own router; when that fails, it is as it was. */
export const deleteNetworkTask = (deps: NetworkDeps): TaskHandler => ({
  type: 'delete_network',
  deadlineMs: DEADLINE_MS,
  run: async (run) => (await provided(run, deps)) ?? forget(run, deps),
  undo: async (run) =>
    done({}, async (tx) => {
      await deps.routers.settle(tx, run.task.id);
      await releaseNetwork(tx, holdOf(run));
    }),
});
