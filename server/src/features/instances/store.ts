import { NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
import type { Flavor } from '../flavors/index.ts';
import { COLUMNS, type InstanceRow, type Place, type Power, restingState, type Status } from './model.ts';

/** Changes of instances; lists and what is shown are in list-store.ts, nodes of clusters in node-store.ts. */

/** Of an instance `i`. */
export const INSTANCE = listOf(COLUMNS, 'i');

/** Instances of a project, which tasks hold. */
export const {
  read: readInstance,
  lock: lockInstance,
  readHeld,
  deleteHeld: deleteInstance,
} = heldTable<InstanceRow>('instances', 'Instance', { columns: INSTANCE, alias: 'i' });

export interface NewInstance extends NewResource {
  readonly name: string;
  readonly flavor: Flavor;
  readonly sshKeyName: string | null;
  readonly tags: StoredTags;
}

/** A machine that the task builds. */
export async function insertInstance(tx: Tx, row: NewInstance): Promise<void> {
  const columns = {
    name: row.name,
    flavor: JSON.stringify(row.flavor),
    ...{ status: 'BUILD', vm_state: 'building', task_state: 'spawning', status_since: row.timestamp },
    ssh_key_name: row.sshKeyName,
    tags: JSON.stringify(row.tags),
    ...columnsOfNew(row),
  };
  await tx.named('instance_insert', ...insertionOf('instances', columns));
}

/** @throws NotFound for the first that the project does not have */
export async function requireInstances(db: Queryable, ids: readonly string[], place: Place): Promise<void> {
  if (ids.length === 0) return;
  const requested = [...new Set(ids.map((id) => id.toLowerCase()))];
  const rows = await db.named<{ id: string }>(
    'instances_require',
    'select id from instances where id = any($1::uuid[]) and project_id = $2 and region_id = $3',
    [requested, place.projectId, place.regionId],
  );
  const missing = requested.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw new NotFound(`Instance ${missing} was not found`);
}

/** Gives the lock to a task, and says what goes on.
 *  @param status meanwhile; undefined: as it was */
export async function holdInstance(
  tx: Tx,
  id: string,
  hold: {
    readonly taskId: string;
    readonly taskState: string;
    readonly status?: Status | undefined;
    readonly timestamp: string;
  },
): Promise<void> {
  await tx.named(
    'instance_hold',
    `update instances set task_id = $2, task_state = $3, status = coalesce($4, status), updated_at = $5,
            status_since = case when $4::text is null then status_since else $5 end
      where id = $1`,
    [id, hold.taskId, hold.taskState, hold.status ?? null, hold.timestamp],
  );
}

/** What a machine is from now on. */
export interface Outcome {
  readonly power: Power;
  readonly boots: number;
  readonly flavor: Flavor;
}

export const outcomeOf = (row: InstanceRow): Outcome => ({
  power: row.power,
  boots: row.boots,
  flavor: row.flavor,
});

/** Ends a task's hold.
 *  @param broken the provider could not make it so: the machine is in ERROR */
export async function settleInstance(
  tx: Tx,
  { id, taskId, timestamp }: Hold,
  { power, boots, flavor }: Outcome,
  broken = false,
): Promise<void> {
  const { status, vmState } = broken ? { status: 'ERROR', vmState: 'error' } : restingState(power);
  await tx.named(
    'instance_settle',
    `with ${usageEnded('instances', '(select * from instances where id = $1 and task_id = $2 and flavor <> $7::jsonb)')}
     update instances set task_id = null, task_state = null, status = $3, vm_state = $4, power = $5, boots = $6,
            flavor = $7, updated_at = $8,
            status_since = case when status = $3 then status_since else $8 end
      where id = $1 and task_id = $2`,
    [id, taskId, status, vmState, power, boots, JSON.stringify(flavor), timestamp],
  );
}
