import { macAddressOf } from '../../../kernel/mac.ts';
import { sql } from '../../../platform/database/sql.ts';
import { undoing } from '../../../platform/tasks/providers.ts';

export { holdOf } from '../../../platform/tasks/providers.ts';

import type { Queryable } from '../../../platform/database/db.ts';
import { type TaskRun, type Wait, waitFor, whileHeldBy } from '../../../platform/tasks/handler.ts';
import { type PortRow, readPortsOf } from '../../networking/ports/index.ts';
import { readServerGroupOf } from '../../server-groups/index.ts';
import { VOLUMES_OF_INSTANCE } from '../../volumes/index.ts';
import { type InstanceDeps, providerFor } from '../access.ts';
import type { InstanceRow } from '../model.ts';
import { type DesiredInstance, RESTORE_INSTANCE } from '../port.ts';
import { type Outcome, outcomeOf, readHeld } from '../store.ts';

export const DEADLINE_MS = 30 * 60_000;

/** A step of a task about an instance; there is nothing to do once the task does not hold it. */
export const whileHeld = whileHeldBy(readHeld);

export const portsOf = (db: Queryable, row: InstanceRow) => readPortsOf(db, 'instance', [row.id]);

/** What a run says to providers that undo: a simulated region does that at once, and never fails it. */
export const restoring = (run: TaskRun) => undoing(run, RESTORE_INSTANCE);

/** What the provider is to make of an instance.
 *  @param outcome what becomes of it; default: it stays as it is
 *  @param ports that it is to have; default: those that it has */
export async function desiredOf(
  db: Queryable,
  row: InstanceRow,
  outcome: Outcome = outcomeOf(row),
  ports?: readonly PortRow[],
): Promise<DesiredInstance> {
  const own = ports ?? (await portsOf(db, row));
  const { flavor, power, boots } = outcome;
  const group = await readServerGroupOf(db, row.id);
  return {
    id: row.id,
    flavor: { id: flavor.id, vcpus: flavor.vcpus, ram: flavor.ram, gpus: flavor.gpu?.count ?? 0 },
    power,
    boots,
    interfaces: own.map((port) => ({
      portId: port.id,
      networkId: port.network_id,
      macAddress: macAddressOf(port.id),
      addresses: port.ip_assignments.map(({ ip_address }) => ip_address),
    })),
    volumes: await volumeIdsOf(db, row.id),
    serverGroup: group ? { id: group.id, policy: group.policy } : null,
  };
}

async function volumeIdsOf(db: Queryable, id: string): Promise<string[]> {
  const [row] = await db.rows<{ volumes: { id: string }[] }>(
    sql`select ${VOLUMES_OF_INSTANCE} from instances i where i.id = ${id}`,
  );
  return (row?.volumes ?? []).map((volume) => volume.id);
}

/** Has the provider make an instance what it is to be. */
export const apply = async (
  run: TaskRun,
  deps: InstanceDeps,
  desired: DesiredInstance,
  operation = run.operation,
): Promise<Wait | undefined> => waitFor(await providerFor(run, deps).applyInstance(desired, null, operation));

/** Has the provider make an instance what it was before the task.
 *  @param ports that it had */
export async function restore(
  run: TaskRun,
  deps: InstanceDeps,
  row: InstanceRow,
  ports?: readonly PortRow[],
): Promise<Wait | undefined> {
  return apply(run, deps, await desiredOf(run.db, row, outcomeOf(row), ports), restoring(run));
}
