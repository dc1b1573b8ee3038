import type { Queryable } from './db.ts';
import { empty, join, raw, type Sql, sql } from './sql.ts';

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
  readonly columns: Sql;
  readonly joins?: Sql;
  /** The column that no row lacks; default: `id`. */
  readonly key?: string;
  /** For a list whose statement is always the same; see `HowToRun`. */
  readonly prepared?: boolean;
}

/** A page of the rows of one table. */
export interface PageOfTable extends List {
  readonly table: string;
  /** A statement whose rows the page and the count are of, made once for both; absent: the table is one. */
  readonly rows?: Sql;
  /** Absent: all rows. */
  readonly where?: readonly Sql[];
  readonly order: string;
  readonly limit: number;
  readonly offset: number;
}

/** A page that is a statement already, as are its rows in their order (see `sharedList`). */
export interface PageOfRows extends List {
  readonly page: Sql;
  /** A statement with one row, `count`. */
  readonly count: Sql;
}

/** What is in a project's part of a region. */
export const inScope = (scope: { readonly projectId: number; readonly regionId: number }) =>
  sql`project_id = ${scope.projectId}::int and region_id = ${scope.regionId}::int`;

/** What lists have of a project's part of a region, the newest first. */
export const newestIn = (scope: Parameters<typeof inScope>[0]) => ({
  where: [inScope(scope)],
  order: 'created_at desc, id desc',
});

/** Reads the page and counts what matches in one statement; the count comes along even when the page is empty. Only
 *  what is on the page is joined. */
export async function listPage<Row>(db: Queryable, list: PageOfTable | PageOfRows): Promise<Page<Row>> {
  const rows = await db.rows<Found>(pageQuery(list), { prepared: list.prepared ?? false });
  const key = list.key ?? 'id';
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row) => row[key] !== null) as Row[] };
}

type Found = { readonly count: number } & Readonly<Record<string, unknown>>;

/** The statement of a list: each row of the page with the count; one row without a key where the page is empty. */
export function pageQuery(list: PageOfTable | PageOfRows): Sql {
  const { page, count } = 'page' in list ? list : ofTable(list);
  const alias = raw(list.alias);
  const made = 'rows' in list && list.rows ? sql`${raw(list.table)} as materialized (${list.rows}), ` : empty;
  return sql`with ${made}page as materialized (
      select p.*, row_number() over () as place_in_page from (${page}) p)
    select counted.count, ${list.columns}
      from (${count}) counted left join page ${alias} on true ${list.joins ?? empty}
     order by ${alias}.place_in_page`;
}

function ofTable(list: PageOfTable): Pick<PageOfRows, 'page' | 'count'> {
  const alias = raw(list.alias);
  const { where = [] } = list;
  const from = sql`${raw(list.table)} ${alias} where ${where.length > 0 ? join(where, ' and ') : raw('true')}`;
  return {
    page: sql`select ${alias}.* from ${from}
      order by ${raw(list.order)} limit ${list.limit}::int offset ${list.offset}::bigint`,
    count: sql`select count(*) as count from ${from}`,
  };
}
