import { NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
import type { Flavor } from '../flavors/index.ts';
import { COLUMNS, type InstanceRow, type Power, restingState, type Scope, type Status } from './model.ts';

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

/** An instance that the task builds. */
export async function insertInstance(tx: Tx, row: NewInstance): Promise<void> {
  const columns = {
    name: row.name,
    flavor: JSON.stringify(row.flavor),
    status: 'BUILD',
    vm_state: 'building',
    task_state: 'spawning',
    status_since: row.timestamp,
    ssh_key_name: row.sshKeyName,
    tags: JSON.stringify(row.tags),
    ...columnsOfNew(row),
  };
  await tx.run(insertionOf('instances', columns));
}

/** @throws NotFound for the first that the project does not have */
export async function requireInstances(db: Queryable, ids: readonly string[], scope: Scope): Promise<void> {
  if (ids.length === 0) return;
  const requested = [...new Set(ids.map((id) => id.toLowerCase()))];
  const rows = await db.rows<{ id: string }>(
    sql`select id from instances where id = any(${requested}::uuid[]) and project_id = ${scope.projectId} and region_id = ${scope.regionId}`,
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
  await tx.run(sql`update instances set task_id = ${hold.taskId}, task_state = ${hold.taskState}, status = coalesce(${hold.status ?? null}, status), updated_at = ${hold.timestamp},
            status_since = case when ${hold.status ?? null}::text is null then status_since else ${hold.timestamp} end
      where id = ${id}`);
}

/** What an instance is from now on. */
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
 *  @param broken the provider could not make it so: the instance is in ERROR */
export async function settleInstance(
  tx: Tx,
  { id, taskId, timestamp }: Hold,
  { power, boots, flavor }: Outcome,
  broken = false,
): Promise<void> {
  const { status, vmState } = broken ? { status: 'ERROR', vmState: 'error' } : restingState(power);
  const held = sql`id = ${id} and task_id = ${taskId}`;
  const json = JSON.stringify(flavor);
  const resized = sql`(select * from instances where ${held} and flavor <> ${json}::jsonb)`;
  await tx.run(sql`
    with ${usageEnded('instances', resized)}
    update instances set task_id = null, task_state = null, status = ${status}, vm_state = ${vmState}, power = ${power},
           boots = ${boots}, flavor = ${json}, updated_at = ${timestamp}, status_reason = null,
           status_since = case when status = ${status} then status_since else ${timestamp} end
     where ${held}`);
}
