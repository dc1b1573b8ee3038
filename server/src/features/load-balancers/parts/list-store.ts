import type { Db } from '../../../platform/database/db.ts';
import { inScope, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { raw, type Sql, sql } from '../../../platform/database/sql.ts';

/** Lists of parts: one statement a page, newest first. */

export interface PartListing {
  readonly table: string;
  /** What is shown of a row `t`. */
  readonly columns: Sql;
}

export interface PartListWhere extends Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly conditions: readonly Sql[];
}

/** The page, newest first, and how many parts match in all. */
export function listParts<Row>(db: Db, listing: PartListing, where: PartListWhere): Promise<Page<Row>> {
  return listPage<Row>(db, {
    prepared: where.conditions.length === 0,
    table: listing.table,
    alias: 't',
    columns: listing.columns,
    where: [inScope(where), ...where.conditions],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}

/** One part, or undefined. */
export async function readPart<Row>(
  db: Db,
  { table, columns }: PartListing,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
): Promise<Row | undefined> {
  return db.row<Row>(
    sql`select ${columns} from ${raw(table)} t where t.id = ${where.id} and t.project_id = ${where.projectId} and t.region_id = ${where.regionId}`,
  );
}
