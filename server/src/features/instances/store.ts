import { NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listOf } from '../../platform/database/rows.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { Flavor } from '../flavors/index.ts';
import { COLUMNS, type InstanceRow, type Place, type Power, restingState, type Status } from './model.ts';

/** Changes of instances; lists and what is shown are in list-store.ts, nodes of clusters in node-store.ts. */

/** Of an instance `i`. */
export const INSTANCE = listOf(COLUMNS, 'i');

const held = heldTable<InstanceRow>('instances', 'Instance', { columns: INSTANCE, alias: 'i' });

/** @throws NotFound */
export const readInstance = held.read;
/** Locked against every other change. @throws NotFound */
export const lockInstance = held.lock;
/** The instance while the task holds it. */
export const readHeld = held.readHeld;
/** Removes it while the task holds it.
 *  @returns whether there was anything to remove */
export const deleteInstance = held.deleteHeld;

export interface NewInstance {
  readonly id: string;
  readonly clientId: number;
  readonly projectId: number;
  readonly regionId: number;
  readonly name: string;
  readonly flavor: Flavor;
  readonly sshKeyName: string | null;
  readonly tags: StoredTags;
  readonly taskId: string;
  readonly timestamp: string;
}

/** A machine that the task builds. */
export async function insertInstance(tx: Tx, row: NewInstance): Promise<void> {
  await tx.named(
    'instance_insert',
    `insert into instances (id, client_id, project_id, region_id, name, flavor, status, vm_state, task_state,
       ssh_key_name, tags, creator_task_id, task_id, status_since, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'BUILD', 'building', 'spawning', $7, $8, $9, $9, $10, $10, $10)`,
    [
      row.id,
      row.clientId,
      row.projectId,
      row.regionId,
      row.name,
      JSON.stringify(row.flavor),
      row.sshKeyName,
      JSON.stringify(row.tags),
      row.taskId,
      row.timestamp,
    ],
  );
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
  { id, taskId, timestamp }: { readonly id: string; readonly taskId: string; readonly timestamp: string },
  { power, boots, flavor }: Outcome,
  broken = false,
): Promise<void> {
  const { status, vmState } = broken ? { status: 'ERROR', vmState: 'error' } : restingState(power);
  await tx.named(
    'instance_settle',
    `update instances set task_id = null, task_state = null, status = $3, vm_state = $4, power = $5, boots = $6,
            flavor = $7, updated_at = $8,
            status_since = case when status = $3 then status_since else $8 end
      where id = $1 and task_id = $2`,
    [id, taskId, status, vmState, power, boots, JSON.stringify(flavor), timestamp],
  );
}

export async function changeInstance(
  tx: Tx,
  id: string,
  change: { readonly name: string; readonly tags: StoredTags; readonly timestamp: string },
): Promise<void> {
  await tx.named(
    'instance_change',
    'update instances set name = $2, tags = $3, updated_at = $4 where id = $1',
    [id, change.name, JSON.stringify(change.tags), change.timestamp],
  );
}
