import { type RawBuilder, sql } from 'kysely';
import type { Db, Queryable } from '../../../platform/database/db.ts';
import { countIfKept } from '../../../platform/database/kept-counts.ts';
import { type TagFilters, tagConditions } from '../../../platform/http/tag-filters.ts';
import type { FloatingIpView } from './model.ts';
import { PORT_OF_FIP, VIEW_COLUMNS } from './store.ts';

export interface ListWhere extends TagFilters {
  readonly projectId: number;
  readonly regionId: number;
  readonly limit: number;
  readonly offset: number;
  readonly portIds?: readonly string[] | undefined;
  readonly status?: string | undefined;
}

type Hit = FloatingIpView & { count: number };
type Found = Hit | { id: null; count: number };

/** The page, newest first, and how many match in all, in one statement; the count comes along even when the page
 *  is empty. */
export async function listFloatingIps(
  db: Db,
  where: ListWhere,
): Promise<{ count: number; rows: readonly FloatingIpView[] }> {
  const conditions = conditionsOf(where);
  const query = listQuery(where, conditions).compile(db.kysely);
  const rows =
    conditions.length === 0
      ? await db.named<Found>('fip_list', query.sql, query.parameters)
      : (await db.kysely.executeQuery(query)).rows;
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is Hit => row.id !== null) };
}

export function listQuery(where: ListWhere, conditions: readonly RawBuilder<unknown>[]): RawBuilder<Found> {
  const scope = sql`project_id = ${where.projectId}::int and region_id = ${where.regionId}::int`;
  const filter = sql.join([scope, ...conditions], sql` and `);
  const kept = countIfKept({
    resource: 'floatingips',
    place: where,
    facets: { status: where.status },
    tags: where,
    more: (where.portIds ?? []).length > 0,
  });
  const count = kept ?? sql`select count(*) as count from floating_ips where ${filter}`;
  return sql<Found>`with page as materialized (
      select * from floating_ips where ${filter}
       order by created_at desc, id desc limit ${where.limit}::int offset ${where.offset}::bigint)
    select c.count, ${sql.raw(VIEW_COLUMNS)}
      from (${count}) c left join page f on true ${sql.raw(PORT_OF_FIP)}
     order by f.created_at desc, f.id desc`;
}

export function conditionsOf(where: ListWhere): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (where.portIds?.length) {
    conditions.push(sql`port_id = any(${[...where.portIds]}::uuid[])`);
  }
  if (where.status !== undefined) conditions.push(sql`status = ${where.status}`);
  return [...conditions, ...tagConditions(where)];
}

/** Those that lead to these ports, oldest first. */
export async function readFloatingIpsOfPorts(
  db: Queryable,
  portIds: readonly string[],
): Promise<FloatingIpView[]> {
  if (portIds.length === 0) return [];
  return db.named<FloatingIpView>(
    'fips_of_ports',
    `select ${VIEW_COLUMNS} from floating_ips f ${PORT_OF_FIP}
      where f.port_id = any($1::uuid[]) order by f.created_at, f.id`,
    [portIds],
  );
}
