import type { Tx } from '../../../platform/database/db.ts';
import { attempt, done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import { freeFloatingIps, settleAttached } from '../../networking/floating-ips/index.ts';
import { closePorts } from '../../networking/ports/index.ts';
import { dropReservedIps, releaseReservedIps } from '../../networking/reserved-fixed-ips/index.ts';
import { lockCounters, quotaOf, release } from '../../quotas/index.ts';
import { type InstanceDeps, providerFor } from '../access.ts';
import type { DeleteInput } from '../deleted-together.ts';
import { type InstanceRow, instanceAmounts } from '../model.ts';
import { deleteInstance, outcomeOf, settleInstance } from '../store.ts';
import { DEADLINE_MS, holdOf, portsOf, restore, whileHeld } from './common.ts';
import { removePorts } from './ports.ts';

/** Deletes an instance: first it, then its volumes; when that fails, it is as it was, or in ERROR when its provider
 *  does not bring it back. */
export const deleteVmTask = (deps: InstanceDeps): TaskHandler => ({
  type: 'delete_vm',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const provider = providerFor(run, deps);
    const waiting =
      waitFor(await provider.removeInstance(row.id, run.operation)) ??
      (await removePorts(run, deps, row, await portsOf(run.db, row))) ??
      (await deps.volumes.remove(run));
    return waiting ?? done({}, (tx) => forget(tx, deps, run, row));
  }),
  undo: whileHeld(async (run, row) => {
    const back = await attempt(
      async () => (await deps.volumes.undoRemove(run)) ?? (await restore(run, deps, row)),
    );
    if (typeof back !== 'boolean') return back;
    return done({}, async (tx) => {
      await settleInstance(tx, holdOf(run), outcomeOf(row), !back);
      await settleAttached(tx, run.task.id, run.timestamp);
      await releaseReservedIps(tx, run.task.id);
      await deps.volumes.settle(tx, run);
    });
  }),
});

async function forget(tx: Tx, deps: InstanceDeps, run: TaskRun, row: InstanceRow): Promise<void> {
  const { floatings } = run.task.input as DeleteInput;
  await lockCounters(tx, quotaOf(row));
  await freeFloatingIps(tx, { taskId: run.task.id, timestamp: run.timestamp, deleted: floatings });
  const ports = await portsOf(tx, row);
  const closed = await closePorts(
    tx,
    ports.map(({ id }) => id),
    run.timestamp,
  );
  const external_ip_count = closed + (await dropReservedIps(tx, run.task.id));
  await deps.volumes.forget(tx, run);
  await deleteInstance(tx, row.id, run.task.id);
  await release(tx, quotaOf(row), { ...instanceAmounts(row.flavor), external_ip_count });
}
