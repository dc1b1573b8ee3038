import type { RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { inPlace, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';

/** Lists of parts: one statement a page, newest first. */

export interface PartListing {
  /** Prepared under this name when nothing is filtered. */
  readonly name: string;
  readonly table: string;
  /** What is shown of a row `t`. */
  readonly columns: string;
}

export interface PartListWhere extends Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly conditions: readonly RawBuilder<unknown>[];
}

/** The page, newest first, and how many parts match in all. */
export function listParts<Row>(db: Db, listing: PartListing, where: PartListWhere): Promise<Page<Row>> {
  return listPage<Row>(db, {
    name: where.conditions.length === 0 ? listing.name : undefined,
    ...{ table: listing.table, alias: 't', columns: listing.columns },
    where: [inPlace(where), ...where.conditions],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}

/** One part, or undefined. */
export async function readPart<Row>(
  db: Db,
  { name, table, columns }: PartListing,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
): Promise<Row | undefined> {
  return db.namedRow<Row>(
    name,
    `select ${columns} from ${table} t where t.id = $1 and t.project_id = $2 and t.region_id = $3`,
    [where.id, where.projectId, where.regionId],
  );
}
