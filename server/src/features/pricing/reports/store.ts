import type { Db, Queryable } from '../../../platform/database/db.ts';
import { forgetOld } from '../../../platform/database/forget-old.ts';
import { listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { join, raw, type Sql, sql } from '../../../platform/database/sql.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { METERED_TABLES, usedBy } from '../../../platform/usage/usage-sql.ts';
import { BY_SIZE, GIB, type MeteredKind, type SortedBy } from './model.ts';

/** What was used: `usage_periods` has what ended, and the rows of resources say what goes on. */

export interface TagCondition {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly strict?: boolean | undefined;
}

export interface Filter {
  readonly clientId: number;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly now: Date;
  readonly projects: readonly number[] | undefined;
  readonly regions: readonly number[] | undefined;
  readonly kinds: readonly MeteredKind[];
  readonly where: { readonly field: string; readonly values: readonly string[] } | undefined;
  readonly tags: { readonly all: boolean; readonly conditions: readonly TagCondition[] } | undefined;
}

interface Measured {
  readonly kind: MeteredKind;
  readonly region_id: number;
  readonly priced_as: string;
  /** Minutes, or minutes times GiB for what is paid by size. */
  readonly value: number;
}

/** What a resource was used for as long as it cost the same. */
export interface UsedRow extends Measured {
  readonly resource_id: string;
  readonly project_id: number;
  readonly name: string;
  readonly gib: number;
  readonly details: Readonly<Record<string, string | null>>;
  readonly tags: StoredTags;
  readonly first_seen: Date;
  readonly last_seen: Date;
}

export type TotalRow = Measured;

export interface Sorting {
  readonly by: SortedBy;
  readonly descending: boolean;
}

/** The resources of a page, and how many there are in all. */
export const readUsed = (
  db: Db,
  filter: Filter,
  { sorting, ...page }: { readonly sorting: readonly Sorting[] } & Paging,
): Promise<Page<UsedRow>> =>
  listPage<UsedRow>(db, {
    table: 'used',
    rows: used(filter),
    alias: 'u',
    columns: sql`u.*`,
    key: 'resource_id',
    ...page,
    order: [...sorting.map(orderOf), 'kind', 'name', 'resource_id', 'priced_as'].join(', '),
  });

/** All together, by what costs the same in a region. */
export async function readTotals(db: Db, filter: Filter): Promise<readonly TotalRow[]> {
  return db.rows<TotalRow>(
    sql`select kind, region_id, priced_as, sum(value)::float8 as value from (${used(filter)}) used
     group by kind, region_id, priced_as order by kind, region_id, priced_as`,
    { prepared: false },
  );
}

export const forgetUsage = (db: Queryable, before: Date): Promise<void> =>
  forgetOld(db, { table: 'usage_periods', by: 'until', before: before.toISOString() });

const COLUMNS: Readonly<Record<SortedBy, string>> = {
  billing_value: 'value',
  first_seen: 'first_seen',
  last_name: 'name',
  last_seen: 'last_seen',
  project: 'project_id',
  region: 'region_id',
  type: 'kind',
};

const orderOf = ({ by, descending }: Sorting) => `${COLUMNS[by]}${descending ? ' desc' : ''}`;

/** What was used within the time, once for each resource and what it cost then. */
function used(filter: Filter): Sql {
  const { clientId, from, to, now, kinds } = filter;
  const scopes = [
    ...(filter.projects ? [sql`r.project_id = any(${[...filter.projects]}::int[])`] : []),
    ...(filter.regions ? [sql`r.region_id = any(${[...filter.regions]}::int[])`] : []),
  ];
  const columns = raw('kind, resource_id, name, priced_as, gib, details');
  const live = METERED_TABLES.map(
    (table) => sql`
      select r.project_id, r.region_id, u.kind, u.resource_id, u.name, u.priced_as, u.gib, u.details, r.tags,
             used.since, ${now}::timestamptz as until
        from ${raw(table)} r ${usedBy(table)}
       where ${join(
         [
           sql`r.client_id = ${clientId}::int`,
           // Lists have indexes by projects.
           sql`r.project_id = any(array(select id from projects where client_id = ${clientId}::int))`,
           sql`r.created_at < ${to}::timestamptz`,
           sql`u.kind = any(${[...kinds]}::text[])`,
           ...scopes,
         ],
         ' and ',
       )}`,
  );
  const ended = sql`
      select r.project_id, r.region_id, ${columns}, r.tags, r.since, r.until from usage_periods r
       where ${join(
         [
           sql`r.client_id = ${clientId}::int`,
           sql`r.until > ${from}::timestamptz and r.since < ${to}::timestamptz`,
           sql`r.kind = any(${[...kinds]}::text[])`,
           ...scopes,
         ],
         ' and ',
       )}`;
  const conditions = conditionsOf(filter);
  return sql`
    with periods as (${join([ended, ...live], ' union all ')}),
    clipped as (
      select *, greatest(since, ${from}::timestamptz) as first, least(until, ${to}::timestamptz) as last from periods
       where greatest(since, ${from}::timestamptz) < least(until, ${to}::timestamptz)),
    summed as (
      select kind, resource_id, priced_as, project_id, region_id,
             (sum(extract(epoch from last - first) / 60
                  * case when kind = any(${[...BY_SIZE]}::text[]) then gib else 1 end))::float8 as value,
             min(first) as first_seen, max(last) as last_seen,
             (array_agg(name order by until desc))[1] as name, (array_agg(gib order by until desc))[1] as gib,
             (array_agg(details order by until desc))[1] as details, (array_agg(tags order by until desc))[1] as tags
        from clipped group by kind, resource_id, priced_as, project_id, region_id)
    select * from summed${conditions.length === 0 ? sql`` : sql` where ${join(conditions, ' and ')}`}`;
}

function conditionsOf({ where, tags }: Filter): Sql[] {
  return [
    ...(where ? [sql`${shown(where.field)} = any(${[...where.values]}::text[])`] : []),
    ...(tags ? [sql`(${join(tags.conditions.map(ofTag), tags.all ? ' and ' : ' or ')})`] : []),
  ];
}

/** A field of the answer as text. */
function shown(field: string): Sql {
  switch (field) {
    case 'type':
      return sql`kind`;
    case 'last_name':
      return sql`name`;
    case 'uuid':
    case 'port_id':
      return sql`resource_id::text`;
    case 'flavor':
    case 'volume_type':
      return sql`priced_as`;
    case 'last_size':
      return sql`(gib * ${GIB}::bigint)::text`;
    default:
      return sql`details ->> ${field}::text`;
  }
}

function ofTag({ key, value, strict }: TagCondition): Sql {
  const parts = [
    ...(key === undefined ? [] : [sql`tag.key = ${key}::text`]),
    ...(value === undefined
      ? []
      : strict
        ? [sql`tag.value ->> 'value' = ${value}::text`]
        : [sql`position(lower(${value}::text) in lower(tag.value ->> 'value')) > 0`]),
  ];
  return sql`exists (select from jsonb_each(tags) tag where ${join(parts, ' and ')})`;
}
