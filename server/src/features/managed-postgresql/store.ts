import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { Place } from '../../platform/http/context.ts';

/** Whether it is activated. */
export async function readStatus(db: Queryable, place: Place): Promise<boolean> {
  return isInitialized(db, 'managed_postgresql_get', STATUS, place);
}

/** Whether it is activated, and stays so until the transaction ends. */
export async function isActivated(tx: Tx, place: Place): Promise<boolean> {
  return isInitialized(tx, 'managed_postgresql_guard', `${STATUS} for share`, place);
}

const STATUS = 'select is_initialized from managed_postgresql where project_id = $1 and region_id = $2';

async function isInitialized(db: Queryable, name: string, text: string, { projectId, regionId }: Place) {
  const row = await db.namedRow<{ is_initialized: boolean }>(name, text, [projectId, regionId]);
  return row?.is_initialized ?? false;
}

/** Whether any project has it in the region. */
export async function isActivatedAnywhere(db: Queryable, regionId: number): Promise<boolean> {
  return db.namedAny(
    'managed_postgresql_anywhere',
    'select 1 from managed_postgresql where region_id = $1 and is_initialized limit 1',
    [regionId],
  );
}

export interface NewStatus extends Place {
  readonly isInitialized: boolean;
  readonly timestamp: string;
}

export async function saveStatus(tx: Tx, status: NewStatus): Promise<void> {
  await tx.named(
    'managed_postgresql_put',
    `insert into managed_postgresql (project_id, region_id, is_initialized, updated_at) values ($1, $2, $3, $4)
     on conflict (project_id, region_id) do update
       set is_initialized = excluded.is_initialized, updated_at = excluded.updated_at`,
    [status.projectId, status.regionId, status.isInitialized, status.timestamp],
  );
}

/** Activates it for a project that has never said whether it wants it.
 *  @returns whether that was so */
export async function activateFirst(tx: Tx, place: Place, timestamp: string): Promise<boolean> {
  return tx.namedAny(
    'managed_postgresql_activate_first',
    `insert into managed_postgresql (project_id, region_id, is_initialized, updated_at) values ($1, $2, true, $3)
     on conflict (project_id, region_id) do nothing returning 1`,
    [place.projectId, place.regionId, timestamp],
  );
}

export async function countClusters(tx: Tx, { projectId, regionId }: Place): Promise<number> {
  return tx.namedNumber(
    'managed_postgresql_clusters',
    'select count(*) as count from postgresql_clusters where project_id = $1 and region_id = $2',
    [projectId, regionId],
  );
}
