import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { Place } from '../../platform/http/context.ts';

export async function readStatus(db: Queryable, { projectId, regionId }: Place): Promise<boolean> {
  const [row] = await db.named<{ is_initialized: boolean }>(
    'managed_postgresql_get',
    'select is_initialized from managed_postgresql where project_id = $1 and region_id = $2',
    [projectId, regionId],
  );
  return row?.is_initialized ?? false;
}

/** Whether it is activated, and stays so until the transaction ends. */
export async function isActivated(tx: Tx, { projectId, regionId }: Place): Promise<boolean> {
  const [row] = await tx.named<{ is_initialized: boolean }>(
    'managed_postgresql_guard',
    'select is_initialized from managed_postgresql where project_id = $1 and region_id = $2 for share',
    [projectId, regionId],
  );
  return row?.is_initialized ?? false;
}

/** Whether any project has it in the region. */
export async function isActivatedAnywhere(db: Queryable, regionId: number): Promise<boolean> {
  const row = await db.namedRow(
    'managed_postgresql_anywhere',
    'select 1 from managed_postgresql where region_id = $1 and is_initialized limit 1',
    [regionId],
  );
  return row !== undefined;
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

export async function countClusters(tx: Tx, { projectId, regionId }: Place): Promise<number> {
  const [row] = await tx.named<{ count: number }>(
    'managed_postgresql_clusters',
    `select count from resource_counts
      where project_id = $1 and region_id = $2 and resource = 'postgresql_clusters'`,
    [projectId, regionId],
  );
  return row?.count ?? 0;
}
