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
import type { NetworkDeps } from './service.ts';
import { deleteNetwork, type NetworkChange, releaseNetwork, setMtu } from './store.ts';

export const DEADLINE_MS = 15 * 60_000;

export const providerFor = providerOfTask('networks');

/** What a run says that undoes: a simulated region does that at once. */
const restoring = (run: TaskRun): TaskRun => ({ ...run, operation: undoing(run, 'restore_network') });

const thenForget = ({ task, timestamp }: TaskRun, { routers }: NetworkDeps) =>
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
    const provider = providerFor(run, deps);
    const applied = await provider.apply({ kind: 'network', id: subject }, run.operation);
    const waiting = waitFor(applied);
    if (waiting) return waiting;
    const settle = await deps.routers.apply(run, provider);
    if (typeof settle !== 'function') return settle;
    const routers = await deps.routers.heldBy(run.db, id);
    return done({ networks: [subject], routers }, async (tx) => {
      await settle(tx);
      await deps.routers.settle(tx, id);
      if (applied.mtu !== undefined) await setMtu(tx, subject, applied.mtu);
      await releaseNetwork(tx, holdOf(run));
    });
  },
  undo: (run) => forget(restoring(run), deps),
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
  run: (run) => forget(run, deps),
  undo: async (run) => {
    const again = restoring(run);
    const provider = providerFor(run, deps);
    const waiting = waitFor(await provider.apply({ kind: 'network', id: run.task.subject }, again.operation));
    if (waiting) return waiting;
    const settle = await deps.routers.apply(again, provider);
    if (typeof settle !== 'function') return settle;
    return done({}, async (tx) => {
      await settle(tx);
      await deps.routers.settle(tx, run.task.id);
      await releaseNetwork(tx, holdOf(run));
    });
  },
});

/** Its own router goes first, which has ports in it. */
async function forget(run: TaskRun, deps: NetworkDeps): Promise<Done | Wait> {
  const provider = providerFor(run, deps);
  for (const id of await deps.routers.heldBy(run.db, run.task.id)) {
    const waiting = waitFor(await provider.remove({ kind: 'router', id }, run.operation));
    if (waiting) return waiting;
  }
  const gone = await provider.remove({ kind: 'network', id: run.task.subject }, run.operation);
  return waitFor(gone) ?? thenForget(run, deps);
}
