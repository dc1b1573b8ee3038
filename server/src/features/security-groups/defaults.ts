import type { Db, Tx } from '../../platform/database/db.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';
import { usualRules } from './rules.ts';

/** Default security groups: each project has one in each region whose provider has security groups. It lets everything
 *  out, and ICMP, SSH and RDP in. A project says itself whether it was given them, in the regions of that time; a region says whether
 *  those projects have one that were there before it. */

/** Projects that are given theirs in one transaction. */
const BATCH = 1000;

/** Whoever gives groups reads regions; whoever goes through the projects for a new region waits until those have ended
 *  that may not have seen it. */
const TURN = sql`72119, 0`;

/** @param projects SQL with their id, client_id and created_at, @param regions SQL with their id */
const insertInto = (projects: Sql, regions: Sql): Sql => sql`
  insert into security_groups (id, project_id, region_id, client_id, name, description, is_default, rules,
         created_at, updated_at)
  select gen_random_uuid(), p.id, r.id, p.client_id, 'default', 'Default security group', true, (
           select jsonb_agg(rule || jsonb_build_object(
                    'id', gen_random_uuid(),
                    'created_at', to_json(p.created_at at time zone 'UTC'),
                    'updated_at', to_json(p.created_at at time zone 'UTC')))
             from jsonb_array_elements(${JSON.stringify(usualRules())}::jsonb) rule),
         p.created_at, p.created_at
    from (${projects}) p, (${regions}) r
  on conflict (project_id, region_id) where is_default do nothing`;

const regionsOf = (providers: readonly string[]): Sql =>
  sql`select id from regions where provider = any(${providers})`;

/** @param some SQL of the projects that are given theirs; answers how many */
const giveTo = (some: Sql, providers: readonly string[]): Sql => sql`
  with chosen as (${some}), added as (${insertInto(sql`select * from chosen`, regionsOf(providers))}),
  given as (update projects p set has_default_groups = true from chosen where p.id = chosen.id returning 1)
  select count(*) as count from given`;

const shareLock = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock_shared(${TURN})`);

/** Gives a project that was just made its groups in the regions of these providers. */
export async function addDefaultGroups(
  tx: Tx,
  providers: readonly string[],
  projectId: number,
): Promise<void> {
  await shareLock(tx);
  const project = sql`select id, client_id, created_at from projects where id = ${projectId}`;
  await tx.run(giveTo(project, providers));
}

/** Gives all projects the groups that they lack. Costs next to nothing when there are none; else it goes in batches,
 *  and what was done stays done. */
export async function completeDefaultGroups(db: Db, providers: readonly string[]): Promise<void> {
  while ((await completeSome(db, providers)) > 0);
  for (const regionId of await newRegions(db, providers)) await completeRegion(db, regionId);
}

/** Projects that an older node has made.
 *  @returns how many there were */
async function completeSome(db: Db, providers: readonly string[]): Promise<number> {
  return db.transaction(async (tx) => {
    await shareLock(tx);
    const some = sql`select id, client_id, created_at from projects where not has_default_groups and deleted_at is null
               order by id limit ${raw(BATCH)} for no key update`;
    return tx.number(giveTo(some, providers));
  });
}

async function newRegions(db: Db, providers: readonly string[]): Promise<number[]> {
  // One whose provider has no security groups may get one that has.
  await db.run(
    sql`update regions set gave_default_groups = false where gave_default_groups and not provider = any(${providers})`,
  );
  const rows = await db.rows<{ id: number }>(
    sql`${regionsOf(providers)} and not gave_default_groups order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Gives the projects that were there before a region their groups in it. */
async function completeRegion(db: Db, regionId: number): Promise<void> {
  await db.transaction((tx) => tx.rows(sql`select pg_advisory_xact_lock(${TURN})`));
  const someAfter = (last: number) => sql`select id, client_id, created_at from projects p
    where id > ${last} and deleted_at is null and not exists (
      select 1 from security_groups g where g.project_id = p.id and g.region_id = ${regionId} and g.is_default)
    order by id limit ${raw(BATCH)}`;
  const region = sql`select ${regionId}::int as id`;
  for (let last: number | null = 0; last !== null; ) {
    const [row]: { last: number | null }[] = await db.rows<{ last: number | null }>(sql`
      with chosen as (${someAfter(last)}), added as (${insertInto(sql`select * from chosen`, region)})
      select max(id) as last from chosen`);
    last = row?.last ?? null;
  }
  await db.run(sql`update regions set gave_default_groups = true where id = ${regionId}`);
}
