import { NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { Place, VolumeRow } from './model.ts';
import { VOLUME } from './store.ts';

/** What volumes need to know about machines, and machines about volumes. */

const MACHINE_COLUMNS = ['id', 'name', 'status', 'cluster_id', 'task_id'] as const;

export type MachineRow = RowOf<'instances', typeof MACHINE_COLUMNS>;

/** A machine, locked: what else attaches or detaches its volumes waits.
 *  @throws NotFound */
export async function lockMachine(tx: Tx, id: string, place: Place): Promise<MachineRow> {
  const [row] = await tx.named<MachineRow>(
    'volume_machine_lock',
    `select ${listOf(MACHINE_COLUMNS)} from instances
      where id = $1 and project_id = $2 and region_id = $3 for update`,
    [id, place.projectId, place.regionId],
  );
  if (!row) throw new NotFound(`Instance ${id} was not found`);
  return row;
}

/** The volumes of a machine, the one that it boots from first. */
export async function readAttached(db: Queryable, instanceId: string): Promise<VolumeRow[]> {
  return db.named<VolumeRow>(
    'volumes_attached',
    `select ${VOLUME} from volumes v where v.instance_id = $1 order by v.boot_index, v.created_at, v.id`,
    [instanceId],
  );
}

/** The same, locked. Lock the machine first. */
export async function lockAttached(tx: Tx, instanceId: string): Promise<VolumeRow[]> {
  await tx.named(
    'volumes_attached_lock',
    'select 1 from volumes where instance_id = $1 order by id for update',
    [instanceId],
  );
  return readAttached(tx, instanceId);
}

/** Those of these volumes that the project has, locked, in any order. */
export async function lockVolumes(tx: Tx, ids: readonly string[], place: Place): Promise<VolumeRow[]> {
  if (ids.length === 0) return [];
  return tx.named<VolumeRow>(
    'volumes_lock',
    `select ${VOLUME} from volumes v
      where v.id = any($1::uuid[]) and v.project_id = $2 and v.region_id = $3 order by v.id for update`,
    [[...new Set(ids)], place.projectId, place.regionId],
  );
}

/** A column with the volumes of instance `i`: `[{id, delete_on_termination}]`, the one that it boots from first. */
export const VOLUMES_OF_INSTANCE = `coalesce((
    select jsonb_agg(jsonb_build_object('id', v.id, 'delete_on_termination', v.delete_on_termination)
                     order by v.boot_index, v.created_at, v.id)
      from volumes v where v.instance_id = i.id), '[]') as volumes`;
