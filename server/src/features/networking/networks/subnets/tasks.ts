import type { Tx } from '../../../../platform/database/db.ts';
import {
  type Done,
  done,
  type TaskHandler,
  type TaskRun,
  type Wait,
  waitFor,
} from '../../../../platform/tasks/handler.ts';
import { undoing } from '../../../../platform/tasks/providers.ts';
import { release } from '../../../quotas/index.ts';
import { desiredSubnet } from '../desired.ts';
import type { NetworkDeps } from '../service.ts';
import { DEADLINE_MS, providerFor } from '../tasks.ts';
import { deleteSubnet, readSubnets, releaseSubnets } from './store.ts';

type Settle = (tx: Tx) => Promise<void>;

const thenForget = ({ task, timestamp }: TaskRun, { routers }: NetworkDeps, settle: Settle) =>
  done({}, async (tx) => {
    await settle(tx);
    await routers.disconnect(tx, task.subject, timestamp);
    if (await deleteSubnet(tx, task.subject, task.id)) await release(tx, task, { subnet_count: 1 });
  });

/** A new subnet; when that fails, nothing of it is left. */
export const createSubnetTask = (deps: NetworkDeps): TaskHandler => ({
  type: 'create_subnet',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { subject, id } = run.task;
    const waiting = await applied(run, deps);
    if (waiting) return waiting;
    const settle = await deps.routers.applyIn(run, providerFor(run, deps), subject);
    if (typeof settle !== 'function') return settle;
    return done({ subnets: [subject] }, async (tx) => {
      await settle(tx);
      await releaseSubnets(tx, id);
    });
  },
  undo: (run) => forget({ ...run, operation: undoing(run, 'restore_subnet') }, deps),
});

/** Deletes a subnet; when that fails, it is as it was. */
export const deleteSubnetTask = (deps: NetworkDeps): TaskHandler => ({
  type: 'delete_subnet',
  deadlineMs: DEADLINE_MS,
  run: (run) => forget(run, deps),
  undo: async (run) => {
    const again = { ...run, operation: undoing(run, 'restore_subnet') };
    const waiting = await applied(again, deps);
    if (waiting) return waiting;
    const settle = await deps.routers.applyIn(again, providerFor(run, deps), run.task.subject);
    if (typeof settle !== 'function') return settle;
    return done({}, async (tx) => {
      await settle(tx);
      await releaseSubnets(tx, run.task.id);
    });
  },
});

/** Makes it what it is to be, as long as it is there. */
async function applied(run: TaskRun, deps: NetworkDeps): Promise<Wait | undefined> {
  const [row] = await readSubnets(run.db, [run.task.subject]);
  return row && waitFor(await providerFor(run, deps).apply(desiredSubnet(row), run.operation));
}

/** Routers leave it first. */
async function forget(run: TaskRun, deps: NetworkDeps): Promise<Done | Wait> {
  const provider = providerFor(run, deps);
  const settle = await deps.routers.applyIn(run, provider, run.task.subject, 'without it');
  if (typeof settle !== 'function') return settle;
  const gone = await provider.remove({ kind: 'subnet', id: run.task.subject }, run.operation);
  return waitFor(gone) ?? thenForget(run, deps, settle);
}
