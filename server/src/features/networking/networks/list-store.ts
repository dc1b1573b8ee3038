import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { type TagFilters, tagConditions } from '../../../platform/http/tag-filters.ts';
import type { NetworkRow, Place } from './model.ts';
import type { NetworkOrder } from './schema.ts';
import { NETWORK_COLUMNS } from './store.ts';

export interface NetworkListWhere extends Place, TagFilters {
  /** Also what the region shares. */
  readonly shared: boolean;
  readonly external?: boolean | undefined;
  /** Only what the region shares, or only what it does not. */
  readonly owned?: boolean | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly order: NetworkOrder;
  readonly limit: number;
  readonly offset: number;
}

/** `priority`: what the region shares comes first. */
const ORDERS: Readonly<Record<NetworkOrder, string>> = {
  'created_at.asc': 'created_at, id',
  'created_at.desc': 'created_at desc, id desc',
  'name.asc': 'name, id',
  'name.desc': 'name desc, id desc',
  'priority.desc': '(project_id is null) desc, created_at desc, id desc',
};

type Hit = NetworkRow & { count: number };
type Found = Hit | { id: null; count: number };

/** The page, and how many match in all, in one statement. */
export async function listNetworks(
  db: Db,
  where: NetworkListWhere,
): Promise<{ count: number; rows: readonly NetworkRow[] }> {
  const { rows } = await networkQuery(where).execute(db.kysely);
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is Hit => row.id !== null) };
}

export function networkQuery(where: NetworkListWhere): RawBuilder<Found> {
  const filter = sql.join(conditionsOf(where), sql` and `);
  const order = ORDERS[where.order];
  return sql<Found>`with page as materialized (
      select p.*, row_number() over () as position from (
        select * from networks where ${filter}
         order by ${sql.raw(order)} limit ${where.limit}::int offset ${where.offset}::bigint) p)
    select c.count, ${sql.raw(NETWORK_COLUMNS)}
      from (select count(*) as count from networks where ${filter}) c left join page n on true
     order by n.position`;
}

function conditionsOf(where: NetworkListWhere): RawBuilder<unknown>[] {
  const own = sql`project_id = ${where.projectId}::int`;
  const conditions = [
    sql`region_id = ${where.regionId}::int`,
    where.shared ? sql`(${own} or project_id is null)` : own,
  ];
  if (where.external !== undefined) conditions.push(sql`external = ${where.external}`);
  if (where.owned !== undefined) conditions.push(sql`(project_id is not null) = ${where.owned}`);
  if (where.id !== undefined) conditions.push(sql`id = ${where.id}::uuid`);
  if (where.name !== undefined) conditions.push(sql`name = ${where.name}`);
  if (where.type !== undefined) conditions.push(sql`type = ${where.type}`);
  return [...conditions, ...tagConditions(where)];
}

/** Ports of a network that machines and load balancers have. */
export async function listNetworkPorts(db: Db, networkId: string) {
  return db.named<{ id: string; instance_id: string; instance_name: string }>(
    'network_ports',
    `select p.id, p.device_id as instance_id, coalesce(lb.name, i.name, '') as instance_name
       from ports p left join load_balancers lb on lb.id = p.device_id left join instances i on i.id = p.device_id
      where p.network_id = $1 and p.device_type in ('instance', 'load_balancer') order by p.created_at, p.id`,
    [networkId],
  );
}
