import { NotFound } from '../../kernel/errors.ts';
import { type NameFilter, named } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { inPlace, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../platform/database/new-rows.ts';
import { listOf } from '../../platform/database/rows.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import { COLUMNS, type GroupRow, type GroupTraits, type Place } from './model.ts';

const SHOWN = listOf(COLUMNS, 'g');

/** Security groups of a project, which tasks hold. */
export const {
  read: readGroup,
  lockFree: lockFreeGroup,
  keep: keepGroups,
  readHeld,
  deleteHeld: deleteGroup,
} = heldTable<GroupRow>('security_groups', 'Security group', { columns: SHOWN, alias: 'g' });

export type NewGroup = GroupTraits & NewResource;

export async function insertGroup(tx: Tx, group: NewGroup): Promise<void> {
  const columns = {
    ...{ name: group.name, description: group.description },
    rules: JSON.stringify(group.rules),
    tags: JSON.stringify(group.tags),
    ...columnsOfNew(group),
  };
  await tx.named('security_group_insert', ...insertionOf('security_groups', columns));
}

/** The group that has a rule.
 *  @throws NotFound */
export async function readGroupOfRule(db: Queryable, ruleId: string, place: Place): Promise<GroupRow> {
  const [row] = await db.named<GroupRow>(
    'security_group_of_rule',
    `select ${SHOWN} from security_groups g
      where project_id = $2 and region_id = $3
        and rules @> jsonb_build_array(jsonb_build_object('id', lower($1::text)))`,
    [ruleId, place.projectId, place.regionId],
  );
  if (!row) throw new NotFound(`Security group rule ${ruleId} was not found`);
  return row;
}

/** Those with one of these names; they are not deleted before the transaction ends. */
export async function keepGroupsNamed(tx: Queryable, names: readonly string[], place: Place) {
  return tx.named<GroupRow>(
    'security_groups_keep_named',
    `select ${SHOWN} from security_groups g
      where name = any($1::text[]) and project_id = $2 and region_id = $3 order by id for share`,
    [[...new Set(names)], place.projectId, place.regionId],
  );
}

/** Ids and names of those of these groups that exist. */
export async function readNames(
  db: Queryable,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db.named(
    'security_group_names',
    'select id, name from security_groups where id = any($1::uuid[]) order by name, id',
    [[...new Set(ids)]],
  );
}

export async function readDefault(tx: Queryable, place: Place): Promise<string | undefined> {
  const [row] = await tx.named<{ id: string }>(
    'security_group_default',
    'select id from security_groups where project_id = $1 and region_id = $2 and is_default',
    [place.projectId, place.regionId],
  );
  return row?.id;
}

/** What uses a group, in words; at most as many as asked for. */
export async function readUsers(tx: Tx, id: string, limit: number): Promise<string[]> {
  const rows = await tx.named<{ what: string }>(
    'security_group_users',
    `(select coalesce(device_type || ' ' || device_id, 'port ' || id) as what from ports
       where security_group_ids @> array[$1::uuid] and security_group_ids <> '{}' limit $2::int)
     union all
     (select 'a rule of security group ' || id from security_groups
       where rules @> jsonb_build_array(jsonb_build_object('remote_group_id', $1::text)) and id <> $1::uuid
       limit $2::int)
     limit $2::int`,
    [id, limit],
  );
  return rows.map(({ what }) => what);
}

/** Gives the lock to a task. */
export async function holdGroup(tx: Tx, id: string, taskId: string, deleting = false): Promise<void> {
  await tx.named(
    'security_group_hold',
    'update security_groups set task_id = $2, deleting = $3 where id = $1',
    [id, taskId, deleting],
  );
}

/** Ends a task's hold. @param change what it has from now on; null: what it had */
export async function releaseGroup(tx: Tx, hold: Hold, change: GroupTraits | null = null): Promise<void> {
  await tx.named(
    'security_group_release',
    `update security_groups set task_id = null, deleting = false, name = coalesce($3, name), description = coalesce($4, description),
            tags = coalesce($5::jsonb, tags), rules = coalesce($6::jsonb, rules),
            revision_number = revision_number + case when $3::text is null then 0 else 1 end,
            updated_at = case when $3::text is null then updated_at else $7 end
      where id = $1 and task_id = $2`,
    [
      ...[hold.id, hold.taskId],
      change?.name ?? null,
      change?.description ?? null,
      change ? JSON.stringify(change.tags) : null,
      change ? JSON.stringify(change.rules) : null,
      hold.timestamp,
    ],
  );
}

export interface ListWhere extends Place, NameFilter, TagFilters, Paging {}

/** The page, newest first, and how many match in all. */
export function listGroups(db: Db, where: ListWhere): Promise<Page<GroupRow>> {
  return listPage<GroupRow>(db, {
    ...{ table: 'security_groups', alias: 'g', columns: SHOWN },
    where: [inPlace(where), ...named(where), ...tagConditions(where)],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}
