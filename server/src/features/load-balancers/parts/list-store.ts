import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { keptCount } from '../../../platform/database/kept-counts.ts';

/** Lists of parts: one statement a page, newest first. */

export interface PartListing {
  /** Prepared under this name when nothing is filtered. */
  readonly name: string;
  readonly table: string;
  /** What counts the parts of a project in a region. */
  readonly resource: string;
  /** What is shown of a row `t`. */
  readonly columns: string;
}

export interface PartListWhere {
  readonly projectId: number;
  readonly regionId: number;
  readonly conditions: readonly RawBuilder<unknown>[];
  readonly limit: number;
  readonly offset: number;
}

/** The page, and how many parts match in all. */
export async function listParts<Row extends { readonly id: string }>(
  db: Db,
  listing: PartListing,
  where: PartListWhere,
): Promise<{ count: number; rows: readonly Row[] }> {
  type Found = (Row | { readonly id: null }) & { readonly count: number };
  const query = listQuery<Found>(listing, where).compile(db.kysely);
  const rows =
    where.conditions.length === 0
      ? await db.named<Found>(listing.name, query.sql, query.parameters)
      : (await db.kysely.executeQuery(query)).rows;
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is Found & Row => row.id !== null) };
}

/** The count comes along even when the page is empty. */
function listQuery<Found>(listing: PartListing, where: PartListWhere): RawBuilder<Found> {
  const { conditions } = where;
  const scope = sql`project_id = ${where.projectId}::int and region_id = ${where.regionId}::int`;
  const filter = sql.join([scope, ...conditions], sql` and `);
  const table = sql.raw(listing.table);
  const count =
    conditions.length === 0
      ? keptCount(listing.resource, where)
      : sql`select count(*) as count from ${table} where ${filter}`;
  return sql<Found>`with page as materialized (
      select p.*, row_number() over () as place_in_page from (
        select * from ${table} where ${filter}
         order by created_at desc, id desc limit ${where.limit}::int offset ${where.offset}::bigint) p
    )
    select c.count, ${sql.raw(listing.columns)}
      from (${count}) c left join page t on true
     order by t.place_in_page`;
}

/** One part, or undefined. */
export async function readPart<Row>(
  db: Db,
  { name, table, columns }: Omit<PartListing, 'resource'>,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
): Promise<Row | undefined> {
  const [row] = await db.named<Row>(
    name,
    `select ${columns} from ${table} t where t.id = $1 and t.project_id = $2 and t.region_id = $3`,
    [where.id, where.projectId, where.regionId],
  );
  return row;
}
