import { attempt, done, type TaskHandler } from '../../../platform/tasks/handler.ts';
import { freeFloatingIps, settleAttached } from '../../networking/floating-ips/index.ts';
import { closePorts } from '../../networking/ports/index.ts';
import { lockCounters, quotaOf, release } from '../../quotas/index.ts';
import type { InstanceDeps } from '../access.ts';
import { CHANGES } from '../model.ts';
import { outcomeOf, settleInstance } from '../store.ts';
import { apply, DEADLINE_MS, desiredOf, holdOf, portsOf, restore, whileHeld } from '../tasks/common.ts';
import { applyPorts, removePorts } from '../tasks/ports.ts';

/** The port that comes or goes. */
interface InterfaceInput {
  readonly portId: string;
}

const portOf = ({ task }: { task: { input: unknown } }) => (task.input as InterfaceInput).portId;

/** Gives an instance the port that was opened for it; when that fails, the port is closed. */
const attachInterfaceTask = (deps: InstanceDeps): TaskHandler => ({
  type: CHANGES.attach_interface.task,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const desired = await desiredOf(run.db, row);
    const waiting =
      (await applyPorts(run, deps, row, await portsOf(run.db, row))) ?? (await apply(run, deps, desired));
    if (waiting) return waiting;
    const port = (await portsOf(run.db, row)).find(({ id }) => id === portOf(run));
    const ports = port && !port.reserved ? [port.id] : [];
    return done({ ports }, (tx) => settleInstance(tx, holdOf(run), outcomeOf(row)));
  }),
  undo: whileHeld(async (run, row) => {
    const all = await portsOf(run.db, row);
    const others = all.filter(({ id }) => id !== portOf(run));
    const port = all.filter(({ id }) => id === portOf(run));
    const back = await attempt(
      async () => (await restore(run, deps, row, others)) ?? (await removePorts(run, deps, row, port)),
    );
    if (typeof back !== 'boolean') return back;
    return done({}, async (tx) => {
      const external_ip_count = await closePorts(tx, [portOf(run)], run.timestamp);
      await settleInstance(tx, holdOf(run), outcomeOf(row), !back);
      await release(tx, quotaOf(row), { external_ip_count });
    });
  }),
});

/** Detaches a port from an instance; when that fails, it keeps it. */
const detachInterfaceTask = (deps: InstanceDeps): TaskHandler => ({
  type: CHANGES.detach_interface.task,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const all = await portsOf(run.db, row);
    const others = all.filter(({ id }) => id !== portOf(run));
    const port = all.filter(({ id }) => id === portOf(run));
    const desired = await desiredOf(run.db, row, outcomeOf(row), others);
    const waiting = (await apply(run, deps, desired)) ?? (await removePorts(run, deps, row, port));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      await lockCounters(tx, quotaOf(row));
      await freeFloatingIps(tx, { taskId: run.task.id, timestamp: run.timestamp, deleted: [] });
      const external_ip_count = await closePorts(tx, [portOf(run)], run.timestamp);
      await settleInstance(tx, holdOf(run), outcomeOf(row));
      await release(tx, quotaOf(row), { external_ip_count });
    });
  }),
  undo: whileHeld(async (run, row) => {
    const back = await attempt(() => restore(run, deps, row));
    if (typeof back !== 'boolean') return back;
    return done({}, async (tx) => {
      await settleAttached(tx, run.task.id, run.timestamp);
      await settleInstance(tx, holdOf(run), outcomeOf(row), !back);
    });
  }),
});

export const interfaceTasks = (deps: InstanceDeps): readonly TaskHandler[] => [
  attachInterfaceTask(deps),
  detachInterfaceTask(deps),
];
