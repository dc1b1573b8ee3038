import type { Db, Queryable } from '../../../platform/database/db.ts';
import { inScope, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { type Sql, sql } from '../../../platform/database/sql.ts';
import { type TagFilters, tagConditions } from '../../../platform/http/tag-filters.ts';
import type { FloatingIpView } from './model.ts';
import { PORT_OF_FIP, SHOWN } from './store.ts';

export interface ListWhere extends TagFilters, Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly portIds?: readonly string[] | undefined;
  readonly status?: string | undefined;
}

/** The page, newest first, and how many match in all. */
export function listFloatingIps(db: Db, where: ListWhere): Promise<Page<FloatingIpView>> {
  const conditions = conditionsOf(where);
  return listPage<FloatingIpView>(db, {
    prepared: conditions.length === 0,
    table: 'floating_ips',
    alias: 'f',
    columns: SHOWN,
    joins: PORT_OF_FIP,
    where: [inScope(where), ...conditions],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}

function conditionsOf(where: ListWhere): Sql[] {
  return [
    ...(where.portIds?.length ? [sql`port_id = any(${[...where.portIds]}::uuid[])`] : []),
    ...(where.status === undefined ? [] : [sql`status = ${where.status}`]),
    ...tagConditions(where),
  ];
}

/** Those that lead to these ports, oldest first. */
export async function readFloatingIpsOfPorts(
  db: Queryable,
  portIds: readonly string[],
): Promise<FloatingIpView[]> {
  if (portIds.length === 0) return [];
  return db.rows<FloatingIpView>(sql`select ${SHOWN} from floating_ips f ${PORT_OF_FIP}
      where f.port_id = any(${portIds}::uuid[]) order by f.created_at, f.id`);
}
