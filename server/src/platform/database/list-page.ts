import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './db.ts';

/** A page of a list, and how many match in all. */
export interface Page<Row> {
  readonly count: number;
  readonly rows: readonly Row[];
}

/** Which page of a list is asked for. */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/** A page as it is answered. */
export const viewPage = <Row, View>({ count, rows }: Page<Row>, view: (row: Row) => View) => ({
  count,
  results: rows.map((row) => view(row)),
});

/** A page of a list that is in memory, as it is answered. */
export const pageOf = <Row, View>(
  all: readonly Row[],
  { limit, offset }: Paging,
  view: (row: Row) => View,
) => ({ count: all.length, results: all.slice(offset, offset + limit).map((row) => view(row)) });

/** What all lists have in common; see `PageOfTable` and `PageOfRows`. */
interface List {
  /** What its columns and joins call a row. */
  readonly alias: string;
  /** What is shown of a row, and of what is joined to it. */
  readonly columns: string;
  readonly joins?: string;
  /** The column that no row lacks; default: `id`. */
  readonly key?: string;
  /** Prepared under this name: for a list whose statement is always the same. */
  readonly name?: string | undefined;
}

/** A page of the rows of one table. */
export interface PageOfTable extends List {
  readonly table: string;
  /** A statement whose rows the page and the count are of, made once for both; absent: the table is one. */
  readonly rows?: RawBuilder<unknown>;
  /** Absent: all rows. */
  readonly where?: readonly RawBuilder<unknown>[];
  readonly order: string;
  readonly limit: number;
  readonly offset: number;
}

/** A page that is a statement already, as are its rows in their order (see `sharedList`). */
export interface PageOfRows extends List {
  readonly page: RawBuilder<unknown>;
  /** A statement with one row, `count`. */
  readonly count: RawBuilder<unknown>;
}

/** What is in a project's part of a region. */
export const inPlace = (place: { readonly projectId: number; readonly regionId: number }) =>
  sql`project_id = ${place.projectId}::int and region_id = ${place.regionId}::int`;

/** What lists have of a project's part of a region, the newest first. */
export const newestIn = (place: Parameters<typeof inPlace>[0]) => ({
  where: [inPlace(place)],
  order: 'created_at desc, id desc',
});

/** Reads the page and counts what matches in one statement; the count comes along even when the page is empty. Only
 *  what is on the page is joined. */
export async function listPage<Row>(db: Queryable, list: PageOfTable | PageOfRows): Promise<Page<Row>> {
  const query = pageQuery(list).compile(db.kysely);
  const rows =
    list.name === undefined
      ? (await db.kysely.executeQuery(query)).rows
      : await db.named<Found>(list.name, query.sql, query.parameters);
  const key = list.key ?? 'id';
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row) => row[key] !== null) as Row[] };
}

type Found = { readonly count: number } & Readonly<Record<string, unknown>>;

/** The statement of a list: each row of the page with the count; one row without a key where the page is empty. */
export function pageQuery(list: PageOfTable | PageOfRows): RawBuilder<Found> {
  const { page, count } = 'page' in list ? list : ofTable(list);
  const alias = sql.raw(list.alias);
  const made =
    'rows' in list && list.rows ? sql`${sql.raw(list.table)} as materialized (${list.rows}), ` : sql``;
  return sql<Found>`with ${made}page as materialized (
      select p.*, row_number() over () as place_in_page from (${page}) p)
    select counted.count, ${sql.raw(list.columns)}
      from (${count}) counted left join page ${alias} on true ${sql.raw(list.joins ?? '')}
     order by ${alias}.place_in_page`;
}

function ofTable(list: PageOfTable): Pick<PageOfRows, 'page' | 'count'> {
  const alias = sql.raw(list.alias);
  const { where = [] } = list;
  const from = sql`${sql.raw(list.table)} ${alias} where ${where.length > 0 ? sql.join([...where], sql` and `) : sql`true`}`;
  return {
    page: sql`select ${alias}.* from ${from}
      order by ${sql.raw(list.order)} limit ${list.limit}::int offset ${list.offset}::bigint`,
    count: sql`select count(*) as count from ${from}`,
  };
}
