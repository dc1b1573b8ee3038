import { NotFound } from '../../kernel/errors.ts';
import { type NameFilter, named } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { inScope, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import { COLUMNS, type GroupRow, type GroupTraits, type Scope } from './model.ts';

const SHOWN = listOf(COLUMNS, 'g');

/** Security groups of a project, which tasks hold. */
export const {
  read: readGroup,
  readMany: readGroups,
  lockFree: lockFreeGroup,
  keep: keepGroups,
  readHeld,
  deleteHeld: deleteGroup,
} = heldTable<GroupRow>('security_groups', 'Security group', { columns: SHOWN, alias: 'g' });

export type NewGroup = GroupTraits & NewResource;

export async function insertGroup(tx: Tx, group: NewGroup): Promise<void> {
  const columns = {
    name: group.name,
    description: group.description,
    rules: JSON.stringify(group.rules),
    tags: JSON.stringify(group.tags),
    ...columnsOfNew(group),
  };
  await tx.run(insertionOf('security_groups', columns));
}

/** The group that has a rule.
 *  @throws NotFound */
export async function readGroupOfRule(db: Queryable, ruleId: string, scope: Scope): Promise<GroupRow> {
  const [row] = await db.rows<GroupRow>(sql`select ${SHOWN} from security_groups g
      where project_id = ${scope.projectId} and region_id = ${scope.regionId}
        and rules @> jsonb_build_array(jsonb_build_object('id', lower(${ruleId}::text)))`);
  if (!row) throw new NotFound(`Security group rule ${ruleId} was not found`);
  return row;
}

/** Those with one of these names; they are not deleted before the transaction ends. */
export async function keepGroupsNamed(tx: Queryable, names: readonly string[], scope: Scope) {
  return tx.rows<GroupRow>(sql`select ${SHOWN} from security_groups g
      where name = any(${[...new Set(names)]}::text[]) and project_id = ${scope.projectId} and region_id = ${scope.regionId} order by id for share`);
}

export async function readGroupsIn(db: Queryable, regionId: number): Promise<GroupRow[]> {
  return db.rows<GroupRow>(sql`select ${SHOWN} from security_groups g where g.region_id = ${regionId}`);
}

/** Ids and names of those of these groups that exist. */
export async function readNames(
  db: Queryable,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db.rows(
    sql`select id, name from security_groups where id = any(${[...new Set(ids)]}::uuid[]) order by name, id`,
  );
}

export async function readDefault(tx: Queryable, scope: Scope): Promise<string | undefined> {
  const [row] = await tx.rows<{ id: string }>(
    sql`select id from security_groups where project_id = ${scope.projectId} and region_id = ${scope.regionId} and is_default`,
  );
  return row?.id;
}

/** What uses a group, in words; at most as many as asked for. */
export async function readUsers(tx: Tx, id: string, limit: number): Promise<string[]> {
  const rows = await tx.rows<{
    what: string;
  }>(sql`(select coalesce(device_type || ' ' || device_id, 'port ' || id) as what from ports
       where security_group_ids @> array[${id}::uuid] and security_group_ids <> '{}' limit ${limit}::int)
     union all
     (select 'a rule of security group ' || id from security_groups
       where rules @> jsonb_build_array(jsonb_build_object('remote_group_id', ${id}::text)) and id <> ${id}::uuid
       limit ${limit}::int)
     limit ${limit}::int`);
  return rows.map(({ what }) => what);
}

/** Gives the lock to a task. */
export async function holdGroup(tx: Tx, id: string, taskId: string, deleting = false): Promise<void> {
  await tx.run(sql`update security_groups set task_id = ${taskId}, deleting = ${deleting} where id = ${id}`);
}

/** Ends a task's hold. @param change what it has from now on; null: what it had */
export async function releaseGroup(tx: Tx, hold: Hold, change: GroupTraits | null = null): Promise<void> {
  await tx.run(sql`update security_groups set task_id = null, deleting = false, name = coalesce(${change?.name ?? null}, name), description = coalesce(${change?.description ?? null}, description),
            tags = coalesce(${change ? JSON.stringify(change.tags) : null}::jsonb, tags), rules = coalesce(${change ? JSON.stringify(change.rules) : null}::jsonb, rules),
            revision_number = revision_number + case when ${change?.name ?? null}::text is null then 0 else 1 end,
            updated_at = case when ${change?.name ?? null}::text is null then updated_at else ${hold.timestamp} end
      where id = ${hold.id} and task_id = ${hold.taskId}`);
}

export interface ListWhere extends Scope, NameFilter, TagFilters, Paging {}

/** The page, newest first, and how many match in all. */
export function listGroups(db: Db, where: ListWhere): Promise<Page<GroupRow>> {
  return listPage<GroupRow>(db, {
    table: 'security_groups',
    alias: 'g',
    columns: SHOWN,
    where: [inScope(where), ...named(where), ...tagConditions(where)],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}
