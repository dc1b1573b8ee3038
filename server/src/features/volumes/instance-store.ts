import { NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope, VolumeRow } from './model.ts';
import { VOLUME } from './store.ts';

/** What volumes need to know about instances, and instances about volumes. */

const INSTANCE_COLUMNS = ['id', 'name', 'status', 'cluster_id', 'task_id'] as const;

export type InstanceRow = RowOf<'instances', typeof INSTANCE_COLUMNS>;

/** An instance, locked: what else attaches or detaches its volumes waits.
 *  @throws NotFound */
export async function lockInstance(tx: Tx, id: string, scope: Scope): Promise<InstanceRow> {
  const [row] = await tx.rows<InstanceRow>(sql`select ${listOf(INSTANCE_COLUMNS)} from instances
      where id = ${id} and project_id = ${scope.projectId} and region_id = ${scope.regionId} for update`);
  if (!row) throw new NotFound(`Instance ${id} was not found`);
  return row;
}

/** The volumes of an instance, the one that it boots from first. */
export async function readAttached(db: Queryable, instanceId: string): Promise<VolumeRow[]> {
  return db.rows<VolumeRow>(
    sql`select ${VOLUME} from volumes v where v.instance_id = ${instanceId} order by v.boot_index, v.created_at, v.id`,
  );
}

/** The same, locked. Lock the instance first. */
export async function lockAttached(tx: Tx, instanceId: string): Promise<VolumeRow[]> {
  await tx.run(sql`select 1 from volumes where instance_id = ${instanceId} order by id for update`);
  return readAttached(tx, instanceId);
}

/** Those of these volumes that the project has, locked, in any order. */
export async function lockVolumes(tx: Tx, ids: readonly string[], scope: Scope): Promise<VolumeRow[]> {
  if (ids.length === 0) return [];
  return tx.rows<VolumeRow>(sql`select ${VOLUME} from volumes v
      where v.id = any(${[...new Set(ids)]}::uuid[]) and v.project_id = ${scope.projectId} and v.region_id = ${scope.regionId} order by v.id for update`);
}

/** A column with the volumes of instance `i`: `[{id, delete_on_termination}]`, the one that it boots from first. */
export const VOLUMES_OF_INSTANCE = sql`coalesce((
    select jsonb_agg(jsonb_build_object('id', v.id, 'delete_on_termination', v.delete_on_termination)
                     order by v.boot_index, v.created_at, v.id)
      from volumes v where v.instance_id = i.id), '[]') as volumes`;
