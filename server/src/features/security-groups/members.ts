import type { Queryable } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import type { GroupRow, Scope } from './model.ts';
import * as store from './store.ts';

/** What those need of security groups that they filter: ports and instances. */

/** Those of these groups that the project has; they are there until the transaction ends.
 *  @throws Locked when one is being made or deleted */
export async function findSecurityGroups(
  tx: Queryable,
  ids: readonly string[],
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const rows = await store.keepGroups(
    tx,
    ids.map((id) => id.toLowerCase()),
    scope,
  );
  refusePassing(rows);
  return new Set(rows.map(({ id }) => id));
}

/** The ids of the project's groups with one of these names; they are there until the transaction ends. Several groups
 *  may have one name.
 *  @throws Locked when one is being made or deleted */
export async function findSecurityGroupsNamed(
  tx: Queryable,
  names: readonly string[],
  scope: Scope,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await store.keepGroupsNamed(tx, names, scope);
  refusePassing(rows);
  const found = new Map<string, string[]>();
  for (const { id, name } of rows) found.set(name, [...(found.get(name) ?? []), id]);
  return found;
}

/** The group that filters what names none; undefined in a region without security groups. */
export const defaultSecurityGroup = store.readDefault;

/** Ids and names of those of these groups that exist, by name. */
export const namesOfSecurityGroups = store.readNames;

/** One whose rules change is there, before and after; one that comes or goes may not be. */
function refusePassing(rows: readonly GroupRow[]): void {
  for (const row of rows)
    if (row.deleting || row.task_id === row.creator_task_id) requireFree('Security group', row);
}
