import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import type { Place } from '../volumes/index.ts';
import type { ImageRow } from './model.ts';
import { IMAGE_COLUMNS } from './store.ts';

export interface ImageListWhere extends Place, TagFilters {
  readonly visibility?: 'private' | 'public' | 'shared' | undefined;
  readonly architecture?: string | undefined;
  readonly name?: string | undefined;
  readonly osDistro?: string | undefined;
  readonly osVersion?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

type Hit = ImageRow & { count: number };
type Found = Hit | { id: null; count: number };

/** The page, the region's first, in their order, then the project's, newest first; and how many match in all, in
 *  one statement. */
export async function listImages(
  db: Db,
  where: ImageListWhere,
): Promise<{ count: number; rows: readonly ImageRow[] }> {
  const { rows } = await listQuery(where).execute(db.kysely);
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is Hit => row.id !== null) };
}

function listQuery(where: ImageListWhere): RawBuilder<Found> {
  const filter = sql.join(conditionsOf(where), sql` and `);
  const order = sql`display_order, created_at desc, id desc`;
  return sql<Found>`with page as materialized (
      select * from images where ${filter}
       order by ${order} limit ${where.limit}::int offset ${where.offset}::bigint)
    select c.count, ${sql.raw(IMAGE_COLUMNS)}
      from (select count(*) as count from images where ${filter}) c left join page i on true
     order by ${order}`;
}

function conditionsOf(where: ImageListWhere): RawBuilder<unknown>[] {
  const conditions = [sql`region_id = ${where.regionId}::int`, visible(where)];
  if (where.architecture !== undefined) conditions.push(sql`architecture = ${where.architecture}`);
  if (where.name !== undefined) conditions.push(sql`name = ${where.name}`);
  if (where.osDistro !== undefined) conditions.push(sql`os_distro = ${where.osDistro}`);
  if (where.osVersion !== undefined) conditions.push(sql`os_version = ${where.osVersion}`);
  return [...conditions, ...tagConditions(where)];
}

/** Nothing is shared between projects only. */
function visible({ visibility, projectId }: ImageListWhere): RawBuilder<unknown> {
  const own = sql`project_id = ${projectId}::int`;
  if (visibility === 'private') return own;
  if (visibility === 'public') return sql`project_id is null`;
  return visibility === 'shared' ? sql`false` : sql`(${own} or project_id is null)`;
}
