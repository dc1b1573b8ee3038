import { NotFound } from '../../../kernel/errors.ts';
import type { Db, Queryable, Tx } from '../../../platform/database/db.ts';
import { inScope, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { inserted } from '../../../platform/database/new-rows.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scope } from '../model.ts';
import { COLUMNS, type PolicyRow, type Schedule } from './model.ts';
import { SCHEDULE } from './schedule-store.ts';

/** Lifecycle policies with their schedules and volumes; what is due of them is in due-store.ts. */

/** A policy with what is shown of it. */
export type PolicyView = PolicyRow & {
  readonly schedules: readonly Schedule[];
  readonly refusals: readonly { schedule_id: string; volume_id: string; message: string }[];
  readonly volumes: readonly { volume_id: string; volume_name: string }[];
};

const VOLUMES = sql`select jsonb_agg(jsonb_build_object('volume_id', v.id, 'volume_name', v.name) order by v.created_at, v.id)
    from lifecycle_policy_volumes m join volumes v on v.id = m.volume_id where m.policy_id = p.id`;
const SHOWN = sql`${listOf(COLUMNS, 'p')},
  coalesce((select jsonb_agg(${SCHEDULE} order by s.position) from lifecycle_schedules s where s.policy_id = p.id), '[]')
    as schedules,
  coalesce((select jsonb_agg(jsonb_build_object('schedule_id', r.schedule_id, 'volume_id', r.volume_id, 'message', r.refusal)
                             order by s.position, r.volume_id)
              from lifecycle_schedules s join lifecycle_runs r on r.schedule_id = s.id
             where s.policy_id = p.id and r.refusal is not null), '[]') as refusals,
  coalesce((${VOLUMES}), '[]') as volumes`;

const missing = (id: number) => new NotFound(`Lifecycle policy ${id} was not found`);

/** @throws NotFound */
export async function readPolicy(
  db: Queryable,
  id: number,
  { projectId, regionId }: Scope,
): Promise<PolicyView> {
  const row = await db.row<PolicyView>(
    sql`select ${SHOWN} from lifecycle_policies p where p.id = ${id} and p.project_id = ${projectId} and p.region_id = ${regionId}`,
  );
  if (!row) throw missing(id);
  return row;
}

/** Locked against every other change, and against being deleted. @throws NotFound */
export async function lockPolicy(tx: Tx, id: number, { projectId, regionId }: Scope): Promise<PolicyRow> {
  const row = await tx.row<PolicyRow>(
    sql`select ${listOf(COLUMNS)} from lifecycle_policies where id = ${id} and project_id = ${projectId} and region_id = ${regionId} for update`,
  );
  if (!row) throw missing(id);
  return row;
}

/** The page, oldest first, and how many match in all. */
export function listPolicies(db: Db, scope: Scope, page: Paging): Promise<Page<PolicyView>> {
  return listPage<PolicyView>(db, {
    table: 'lifecycle_policies',
    alias: 'p',
    columns: SHOWN,
    where: [inScope(scope)],
    order: 'id',
    limit: page.limit,
    offset: page.offset,
  });
}

/** How many the project has in the region. */
export async function countPolicies(tx: Tx, { projectId, regionId }: Scope): Promise<number> {
  return tx.number(
    sql`select count(*) as count from lifecycle_policies where project_id = ${projectId} and region_id = ${regionId}`,
  );
}

/** @returns its id */
export async function insertPolicy(
  tx: Tx,
  policy: Omit<PolicyRow, 'id' | 'created_at'> & { readonly timestamp: string },
): Promise<number> {
  const row = await tx.row<{
    id: number;
  }>(sql`insert into lifecycle_policies (project_id, region_id, client_id, user_id, name, status, created_at)
     values (${policy.project_id}, ${policy.region_id}, ${policy.client_id}, ${policy.user_id}, ${policy.name}, ${policy.status}, ${policy.timestamp}) returning id`);
  return inserted(row).id;
}

export async function changePolicy(tx: Tx, { id, name, status }: Pick<PolicyRow, 'id' | 'name' | 'status'>) {
  await tx.run(sql`update lifecycle_policies set name = ${name}, status = ${status} where id = ${id}`);
}

/** Its schedules and what is due go with it; its snapshots stay. */
export async function deletePolicy(tx: Tx, id: number): Promise<void> {
  await tx.run(sql`delete from lifecycle_policies where id = ${id}`);
}

/** Volumes that it has already are left as they are. */
export async function addVolumes(tx: Tx, id: number, volumeIds: readonly string[]): Promise<void> {
  await tx.run(sql`insert into lifecycle_policy_volumes (policy_id, volume_id)
     select ${id}, volume from unnest(${volumeIds}::uuid[]) volume on conflict do nothing`);
}

/** With what is due for them. Volumes that it does not have are passed over. */
export async function removeVolumes(tx: Tx, id: number, volumeIds: readonly string[]): Promise<void> {
  await tx.run(sql`with removed as (
       delete from lifecycle_policy_volumes where policy_id = ${id} and volume_id = any(${volumeIds}::uuid[]) returning volume_id)
     delete from lifecycle_runs r using lifecycle_schedules s, removed
      where s.policy_id = ${id} and r.schedule_id = s.id and r.volume_id = removed.volume_id`);
}

/** Those of these policies that there are; they are not deleted before the transaction ends. */
export async function keepPolicies(
  tx: Tx,
  { projectId, regionId }: Scope,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await tx.rows<{
    id: number;
  }>(sql`select id from lifecycle_policies where id = any(${ids}::int[]) and project_id = ${projectId} and region_id = ${regionId}
      order by id for key share`);
  return rows.map(({ id }) => id);
}
