import { NotFound } from '../../../kernel/errors.ts';
import type { Db, Queryable, Tx } from '../../../platform/database/db.ts';
import { inPlace, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { inserted } from '../../../platform/database/new-rows.ts';
import { listOf } from '../../../platform/database/rows.ts';
import type { Place } from '../model.ts';
import { COLUMNS, type PolicyRow, type Schedule } from './model.ts';
import { SCHEDULE } from './schedule-store.ts';

/** Lifecycle policies with their schedules and volumes; what is due of them is in due-store.ts. */

/** A policy with what is shown of it. */
export type PolicyView = PolicyRow & {
  readonly schedules: readonly Schedule[];
  readonly refusals: readonly { schedule_id: string; volume_id: string; message: string }[];
  readonly volumes: readonly { volume_id: string; volume_name: string }[];
};

const VOLUMES = `select jsonb_agg(jsonb_build_object('volume_id', v.id, 'volume_name', v.name) order by v.created_at, v.id)
    from lifecycle_policy_volumes m join volumes v on v.id = m.volume_id where m.policy_id = p.id`;
const SHOWN = `${listOf(COLUMNS, 'p')},
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
  { projectId, regionId }: Place,
): Promise<PolicyView> {
  const row = await db.namedRow<PolicyView>(
    'lifecycle_policy_get',
    `select ${SHOWN} from lifecycle_policies p where p.id = $1 and p.project_id = $2 and p.region_id = $3`,
    [id, projectId, regionId],
  );
  if (!row) throw missing(id);
  return row;
}

/** Locked against every other change, and against being deleted. @throws NotFound */
export async function lockPolicy(tx: Tx, id: number, { projectId, regionId }: Place): Promise<PolicyRow> {
  const row = await tx.namedRow<PolicyRow>(
    'lifecycle_policy_lock',
    `select ${listOf(COLUMNS)} from lifecycle_policies where id = $1 and project_id = $2 and region_id = $3 for update`,
    [id, projectId, regionId],
  );
  if (!row) throw missing(id);
  return row;
}

/** The page, oldest first, and how many match in all. */
export function listPolicies(db: Db, place: Place, page: Paging): Promise<Page<PolicyView>> {
  return listPage<PolicyView>(db, {
    ...{ table: 'lifecycle_policies', alias: 'p', columns: SHOWN },
    where: [inPlace(place)],
    order: 'id',
    ...{ limit: page.limit, offset: page.offset },
  });
}

/** How many the project has in the region. */
export async function countPolicies(tx: Tx, { projectId, regionId }: Place): Promise<number> {
  return tx.namedNumber(
    'lifecycle_policy_count',
    'select count(*) as count from lifecycle_policies where project_id = $1 and region_id = $2',
    [projectId, regionId],
  );
}

/** @returns its id */
export async function insertPolicy(
  tx: Tx,
  policy: Omit<PolicyRow, 'id' | 'created_at'> & { readonly timestamp: string },
): Promise<number> {
  const row = await tx.namedRow<{ id: number }>(
    'lifecycle_policy_insert',
    `insert into lifecycle_policies (project_id, region_id, client_id, user_id, name, status, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [
      policy.project_id,
      policy.region_id,
      policy.client_id,
      policy.user_id,
      policy.name,
      policy.status,
      policy.timestamp,
    ],
  );
  return inserted(row).id;
}

export async function changePolicy(tx: Tx, { id, name, status }: Pick<PolicyRow, 'id' | 'name' | 'status'>) {
  await tx.named(
    'lifecycle_policy_change',
    'update lifecycle_policies set name = $2, status = $3 where id = $1',
    [id, name, status],
  );
}

/** Its schedules and what is due go with it; its snapshots stay. */
export async function deletePolicy(tx: Tx, id: number): Promise<void> {
  await tx.named('lifecycle_policy_delete', 'delete from lifecycle_policies where id = $1', [id]);
}

/** Volumes that it has already are left as they are. */
export async function addVolumes(tx: Tx, id: number, volumeIds: readonly string[]): Promise<void> {
  await tx.named(
    'lifecycle_policy_volumes_add',
    `insert into lifecycle_policy_volumes (policy_id, volume_id)
     select $1, volume from unnest($2::uuid[]) volume on conflict do nothing`,
    [id, volumeIds],
  );
}

/** With what is due for them. Volumes that it does not have are passed over. */
export async function removeVolumes(tx: Tx, id: number, volumeIds: readonly string[]): Promise<void> {
  await tx.named(
    'lifecycle_policy_volumes_remove',
    `with removed as (
       delete from lifecycle_policy_volumes where policy_id = $1 and volume_id = any($2::uuid[]) returning volume_id)
     delete from lifecycle_runs r using lifecycle_schedules s, removed
      where s.policy_id = $1 and r.schedule_id = s.id and r.volume_id = removed.volume_id`,
    [id, volumeIds],
  );
}

/** Those of these policies that there are; they are not deleted before the transaction ends. */
export async function keepPolicies(
  tx: Tx,
  { projectId, regionId }: Place,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await tx.named<{ id: number }>(
    'lifecycle_policies_keep',
    `select id from lifecycle_policies where id = any($1::int[]) and project_id = $2 and region_id = $3
      order by id for key share`,
    [ids, projectId, regionId],
  );
  return rows.map(({ id }) => id);
}
