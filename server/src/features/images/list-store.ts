import { type NameFilter, named } from '../../platform/database/contains.ts';
import type { Db } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { sharedList } from '../../platform/database/shared-lists.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import type { Scope } from '../volumes/index.ts';
import type { ImageRow } from './model.ts';
import { SHOWN } from './store.ts';

export interface ImageListWhere extends Scope, NameFilter, TagFilters, Paging {
  readonly visibility?: 'private' | 'public' | 'shared' | undefined;
  readonly architecture?: string | undefined;
  readonly osDistro?: string | undefined;
  readonly osVersion?: string | undefined;
}

/** The page, the region's first, in their order, then the project's, newest first; and how many match in all. */
export function listImages(db: Db, where: ImageListWhere): Promise<Page<ImageRow>> {
  const rows = sharedList({
    table: 'images',
    projectId: where.projectId,
    regionId: where.regionId,
    whose: WHOSE[where.visibility ?? 'any'],
    conditions: conditionsOf(where),
    // Only the region's have a scope.
    ownOrder: 'created_at desc, id desc',
    order: 'display_order, created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
  return listPage<ImageRow>(db, { ...rows, alias: 'i', columns: SHOWN });
}

const WHOSE = { private: 'own', public: 'shared', shared: 'own', any: 'both' } as const;

function conditionsOf(where: ImageListWhere): Sql[] {
  // Of the region's nobody wants to see what is of no use: nobody here can delete it.
  const conditions: Sql[] = [sql`(project_id is not null or status = 'active')`];
  // A project's own images are shared with all who are in it.
  if (where.visibility === 'private') conditions.push(sql`false`);
  if (where.architecture !== undefined) conditions.push(sql`architecture = ${where.architecture}`);
  conditions.push(...named(where));
  if (where.osDistro !== undefined) conditions.push(sql`os_distro = ${where.osDistro}`);
  if (where.osVersion !== undefined) conditions.push(sql`os_version = ${where.osVersion}`);
  return [...conditions, ...tagConditions(where)];
}
