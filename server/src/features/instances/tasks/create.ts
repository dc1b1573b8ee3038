import type { Tx } from '../../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../../platform/tasks/handler.ts';
import { addressAttached, dropAttached, settleAttached } from '../../networking/floating-ips/index.ts';
import { closePorts } from '../../networking/ports/index.ts';
import { lockCounters, quotaOf, release } from '../../quotas/index.ts';
import { type InstanceDeps, providerFor } from '../access.ts';
import { forgetFirstBoot, readFirstBoot } from '../first-boot.ts';
import { type InstanceRow, instanceAmounts } from '../model.ts';
import { deleteInstance, outcomeOf, settleInstance } from '../store.ts';
import { DEADLINE_MS, desiredOf, holdOf, portsOf, restoring, whileHeld } from './common.ts';
import { applyPorts, removePorts } from './ports.ts';

/** Makes an instance with its volumes and addresses; when that fails, nothing of it is left. */
export const createVmTask = (deps: InstanceDeps): TaskHandler => ({
  type: 'create_vm',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const provider = providerFor(run, deps);
    const floatingips = await addressFloatingIps(run, deps, row);
    const volumes = await deps.volumes.created(run);
    const all = await portsOf(run.db, row);
    const ports = all.filter(({ reserved }) => !reserved);
    const waiting =
      (await deps.volumes.apply(run)) ??
      (await applyPorts(run, deps, row, all)) ??
      waitFor(
        await provider.applyInstance(
          await desiredOf(run.db, row),
          await readFirstBoot(run.db, deps.cipher, row.id),
          run.operation,
        ),
      );
    if (waiting) return waiting;
    const created = { instances: [row.id], volumes, ports: ports.map(({ id }) => id), floatingips };
    return done(created, async (tx) => {
      await settleInstance(tx, holdOf(run), outcomeOf(row));
      await forgetFirstBoot(tx, row.id);
      await settleAttached(tx, run.task.id, run.timestamp);
      await deps.volumes.settle(tx, run);
    });
  }),
  undo: whileHeld(async (run, row) => {
    const provider = providerFor(run, deps);
    const waiting =
      waitFor(await provider.removeInstance(row.id, restoring(run))) ??
      (await removePorts(run, deps, row, await portsOf(run.db, row))) ??
      (await deps.volumes.undoApply(run));
    return waiting ?? done({}, (tx) => forget(tx, deps, run, row));
  }),
});

/** Gives floating IPs that came with the instance their addresses. @returns the ids of the new ones */
async function addressFloatingIps(run: TaskRun, deps: InstanceDeps, row: InstanceRow): Promise<string[]> {
  const provider = deps.addressesOf(row.region_id);
  return provider ? addressAttached(run.db, provider, run.task.id) : [];
}

async function forget(tx: Tx, deps: InstanceDeps, run: TaskRun, row: InstanceRow): Promise<void> {
  await lockCounters(tx, quotaOf(row));
  await dropAttached(tx, run.task.id, run.timestamp);
  const ports = await portsOf(tx, row);
  const external_ip_count = await closePorts(
    tx,
    ports.map(({ id }) => id),
    run.timestamp,
  );
  await deps.volumes.drop(tx, run);
  await deleteInstance(tx, row.id, run.task.id);
  await release(tx, quotaOf(row), { ...instanceAmounts(row.flavor), external_ip_count });
}
