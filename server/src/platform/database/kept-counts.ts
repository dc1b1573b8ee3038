import { type RawBuilder, sql } from 'kysely';
import type { BackgroundJob } from '../feature.ts';
import type { TagFilters } from '../http/tag-filters.ts';
import type { Db } from './db.ts';

/** Counts of lists, kept while rows come, change and go: see the triggers of `count_rows`. What was counted is in
 *  `resource_totals`, the newest in `resource_changes`; one statement adds both up, so that counts are exact. */

const FOLD_EVERY_MS = 1000;

/** Brings the newest changes into the totals. */
export function foldCounts(db: Db): BackgroundJob {
  return {
    ...{ name: 'resource-counts', everyMs: FOLD_EVERY_MS, exclusive: true },
    run: async () => {
      await db.named('resource_counts_fold', 'select fold_resource_counts()', []);
    },
  };
}

export interface CountedIn {
  readonly projectId: number;
  readonly regionId: number;
}

/** What a list is narrowed by, in the words of `facets_of`; what is undefined does not narrow it. */
export type Facets = Readonly<Record<string, string | number | boolean | null | undefined>>;

const given = (facets: Facets) =>
  Object.fromEntries(Object.entries(facets).filter(([, v]) => v !== undefined));

/** How many there are of a kind, with these facets: a statement with one row, `count`.
 *  @param conditions on the column `facets` */
export function keptCount(
  resource: string,
  place: CountedIn,
  facets: Facets = {},
  conditions: readonly RawBuilder<unknown>[] = [],
): RawBuilder<{ count: number }> {
  const asked = given(facets);
  const equal = Object.keys(asked).length === 0 ? [] : [sql`facets @> ${JSON.stringify(asked)}::jsonb`];
  const narrow = [...equal, ...conditions].map((condition) => sql` and ${condition}`);
  return summed(
    sql`resource = ${sql.lit(resource)}`,
    place,
    narrow.length === 0 ? sql`` : sql.join(narrow, sql``),
  );
}

/** How many there are of a kind that have these facets and no others, as of what is counted by its tags. */
export function keptCountOfExactly(
  resource: string,
  place: CountedIn,
  facets: object,
): RawBuilder<{ count: number }> {
  const exactly = sql` and facets = ${JSON.stringify(facets)}::jsonb`;
  return summed(sql`resource = ${sql.lit(resource)}`, place, exactly);
}

/** How many ports these networks have, with these facets.
 *  @param networks ids, or a statement that finds them */
export function keptCountOfNetworks(
  resource: string,
  place: CountedIn,
  networks: readonly string[] | RawBuilder<unknown>,
  facets: Facets = {},
): RawBuilder<{ count: number }> {
  const of = (id: string) => `${resource} by network ${id}`;
  const names =
    'toOperationNode' in networks
      ? sql`array(select ${of('')}::text || found.id from (${networks}) found)`
      : sql`${[...new Set(networks)].map((id) => of(id.toLowerCase()))}::text[]`;
  return summed(
    sql`resource = any(${names})`,
    place,
    sql` and facets @> ${JSON.stringify(given(facets))}::jsonb`,
  );
}

/** A list of a whole client, or of all clients together: see the triggers of `count_rows_of_client`. What it is
 *  narrowed by may be one of several values. */
export function keptCountOfClient(
  resource: string,
  clientId: number | 'all',
  facets: Readonly<Record<string, readonly (string | number | boolean)[] | undefined>> = {},
): RawBuilder<{ count: number }> {
  const narrow = Object.entries(facets).flatMap(([name, values]) =>
    values === undefined ? [] : [sql` and facets->>${sql.lit(name)} = any(${values.map(String)}::text[])`],
  );
  return summed(
    sql`resource = ${sql.lit(resource)}`,
    { projectId: clientId === 'all' ? 0 : clientId, regionId: 0 },
    narrow.length === 0 ? sql`` : sql.join(narrow, sql``),
  );
}

/** Part of a statement: counts the rows that another part of it has inserted or deleted, where no trigger does. They are
 *  read with `keptCountOfClient(resource, 'all')`.
 *  @param rows the name of that part */
export const countedRows = (
  resource: 'clients by client' | 'mail by client',
  rows: string,
  change: 'inserted' | 'deleted',
) =>
  `insert into resource_changes
   select 0, 0, '${resource}', '{}', ${change === 'inserted' ? '' : '-'}count(*) from ${rows} having count(*) > 0`;

/** The same for what clients have, for each of them and for all: `keptCountOfClient(resource, client or 'all')`.
 *  @param rows have `client_id` */
export const countedRowsOfClients = (
  resource: 'webhook_targets',
  rows: string,
  change: 'inserted' | 'deleted',
) =>
  `insert into resource_changes
   select coalesce(client_id, 0), 0, '${resource}', '{}', ${change === 'inserted' ? '' : '-'}count(*) from ${rows}
    group by grouping sets ((client_id), ()) having count(*) > 0`;

/** The same for what projects have: one with any of it is not empty, and cannot be deleted.
 *  @param rows have `project_id`, and `region_id`, which is 0 for what belongs to no region */
export const countedRowsOfProjects = (resource: string, rows: string, change: 'inserted' | 'deleted') =>
  `insert into resource_changes
   select project_id, region_id, '${resource}', '{}', ${change === 'inserted' ? '' : '-'}count(*) from ${rows}
    group by project_id, region_id`;

/** Runs a count. */
export async function counted(db: Db, count: RawBuilder<{ count: number }>): Promise<number> {
  const { rows } = await count.execute(db.kysely);
  return rows[0]?.count ?? 0;
}

function summed(
  resource: RawBuilder<unknown>,
  { projectId, regionId }: CountedIn,
  narrow: RawBuilder<unknown>,
) {
  const where = sql`project_id = ${projectId}::int and region_id = ${regionId}::int and ${resource}${narrow}`;
  return sql<{ count: number }>`select coalesce(sum(n), 0)::bigint as count from (
    select count as n from resource_totals where ${where}
    union all select change from counted_changes where ${where}) kept`;
}

export interface Counted {
  readonly resource: string;
  readonly place: CountedIn;
  readonly facets: Facets;
  /** What else is said of the facets: conditions on the column `facets`. */
  readonly ofFacets?: readonly RawBuilder<unknown>[];
  readonly tags: TagFilters;
  /** Whether something else narrows the list. */
  readonly more: boolean;
}

/** The count of a list as far as it is kept: by its facets, or by one tag alone. Else undefined, and it has to be
 *  counted. */
export function countIfKept(list: Counted): RawBuilder<{ count: number }> | undefined {
  if (list.more) return undefined;
  const tags = tagsOf(list.tags);
  if (tags.length === 0) return keptCount(list.resource, list.place, list.facets, list.ofFacets);
  const [tag] = tags;
  const alone = tags.length === 1 && Object.keys(given(list.facets)).length === 0 && !list.ofFacets?.length;
  return alone && tag ? keptCountOfExactly(`${list.resource} by tag`, list.place, tag) : undefined;
}

/** The only tag that a list is narrowed by, as tags are counted. */
export function onlyTag(filters: TagFilters): object | undefined {
  const tags = tagsOf(filters);
  return tags.length === 1 ? tags[0] : undefined;
}

/** Tags as they are counted: by key, and by key and value. */
function tagsOf({ tagKeys = [], tags = {} }: TagFilters): readonly object[] {
  // Who has a pair has its key.
  return [...new Set(tagKeys)]
    .filter((key) => !Object.hasOwn(tags, key))
    .map((key): object => ({ key }))
    .concat(Object.entries(tags).map(([key, value]) => ({ key, value })));
}
