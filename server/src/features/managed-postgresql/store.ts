import type { Queryable, Tx } from '../../platform/database/db.ts';
import { inScope } from '../../platform/database/list-page.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope } from '../../platform/http/context.ts';

/** Whether it is activated. */
export const readStatus = async (db: Queryable, scope: Scope): Promise<boolean> =>
  isInitialized(await db.row<StatusRow>(statusIn(scope)));

/** Whether it is activated, and stays so until the transaction ends. */
export const isActivated = async (tx: Tx, scope: Scope): Promise<boolean> =>
  isInitialized(await tx.row<StatusRow>(sql`${statusIn(scope)} for share`));

interface StatusRow {
  readonly is_initialized: boolean;
}

const statusIn = (scope: Scope) => sql`select is_initialized from managed_postgresql where ${inScope(scope)}`;
const isInitialized = (row: StatusRow | undefined) => row?.is_initialized ?? false;

/** Whether any project has it in the region. */
export async function isActivatedAnywhere(db: Queryable, regionId: number): Promise<boolean> {
  return db.any(
    sql`select 1 from managed_postgresql where region_id = ${regionId} and is_initialized limit 1`,
  );
}

export interface NewStatus extends Scope {
  readonly isInitialized: boolean;
  readonly timestamp: string;
}

export async function saveStatus(tx: Tx, status: NewStatus): Promise<void> {
  await tx.run(sql`insert into managed_postgresql (project_id, region_id, is_initialized, updated_at) values (${status.projectId}, ${status.regionId}, ${status.isInitialized}, ${status.timestamp})
     on conflict (project_id, region_id) do update
       set is_initialized = excluded.is_initialized, updated_at = excluded.updated_at`);
}

/** Activates it for a project that has never said whether it wants it.
 *  @returns whether that was so */
export async function activateFirst(tx: Tx, scope: Scope, timestamp: string): Promise<boolean> {
  return tx.any(sql`insert into managed_postgresql (project_id, region_id, is_initialized, updated_at) values (${scope.projectId}, ${scope.regionId}, true, ${timestamp})
     on conflict (project_id, region_id) do nothing returning 1`);
}

export async function countClusters(tx: Tx, { projectId, regionId }: Scope): Promise<number> {
  return tx.number(
    sql`select count(*) as count from postgresql_clusters where project_id = ${projectId} and region_id = ${regionId}`,
  );
}
