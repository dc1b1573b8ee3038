import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import { type CarriedFloatingIps, FLOATING_IPS_OF_LB } from '../floating-ips/index.ts';
import { EXTERNAL_SUBNET_ID } from '../networks/index.ts';
import type { LoadBalancerRow, OrderField } from './model.ts';

/** Lists of load balancers: one statement a page, however many listeners they have. */

/** A load balancer as lists show it. */
export interface ListedRow extends Omit<LoadBalancerRow, 'client_id' | 'version' | 'vip_space'> {
  readonly floating_ips: CarriedFloatingIps;
  readonly shown_subnet_id: string;
  /** Ids of its listeners, separated by commas, or null. */
  readonly listener_ids: string | null;
  /** Sums over its listeners, those that are gone included; absent unless asked for. */
  readonly stats?: StatsRow;
}

export interface StatsRow {
  readonly active_connections: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly request_errors: number;
  readonly total_connections: number;
}

export interface Filters extends TagFilters {
  readonly name?: string | undefined;
  readonly operatingStatus?: string | undefined;
  readonly provisioningStatus?: string | undefined;
  readonly loggingEnabled?: boolean | undefined;
  readonly assignedFloating?: boolean | undefined;
}

export interface ListWhere {
  readonly projectId: number;
  readonly regionId: number;
  readonly filters: Filters;
  readonly order: `${OrderField}.${'asc' | 'desc'}`;
  readonly limit: number;
  readonly offset: number;
  readonly showStats: boolean;
}

const COLUMNS = `id, project_id, region_id, name, flavor, preferred_connectivity, vip_address, vip_ip_family, vip_port_id,
  vip_subnet_id, assigned_floating, tags, logging, admin_state_up, provisioning_status, operating_status, task_id, creator_task_id, created_at, updated_at`;

const LISTENER_IDS = `(select string_agg(l.id::text, ',' order by l.created_at, l.id) from lb_listeners l
    where l.load_balancer_id = lb.id) as listener_ids`;

/** The subnet of the virtual address. */
const SUBNET_ID = `coalesce(lb.vip_subnet_id, (${EXTERNAL_SUBNET_ID('lb.region_id')})) as shown_subnet_id`;

const PARTS = `${LISTENER_IDS}, ${SUBNET_ID}, ${FLOATING_IPS_OF_LB}`;

const STATS = `, (select jsonb_build_object(
    'active_connections', coalesce(sum(s.active_connections), 0), 'bytes_in', coalesce(sum(s.bytes_in), 0),
    'bytes_out', coalesce(sum(s.bytes_out), 0), 'request_errors', coalesce(sum(s.request_errors), 0),
    'total_connections', coalesce(sum(s.total_connections), 0))
     from (select active_connections, bytes_in, bytes_out, request_errors, total_connections
             from lb_listener_stats where load_balancer_id = lb.id
           union all
           select 0, bytes_in, bytes_out, request_errors, total_connections
             from lb_ended_stats where load_balancer_id = lb.id) s) as stats`;

/** Fields that may be missing: they come last in both directions. */
const MAY_BE_NULL: ReadonlySet<OrderField> = new Set([
  'flavor',
  'updated_at',
  'vip_address',
  'vip_ip_family',
]);

/** The page, and how many load balancers match in all. */
export async function listLoadBalancers(
  db: Db,
  where: ListWhere,
): Promise<{ count: number; rows: readonly ListedRow[] }> {
  const conditions = conditionsOf(where.filters);
  const query = listQuery(where, conditions).compile(db.kysely);
  // Prepared under a name where that pays; filters have too many combinations to keep them all prepared.
  const rows =
    conditions.length === 0
      ? await db.named<Found>(nameOf(where), query.sql, query.parameters)
      : (await db.kysely.executeQuery(query)).rows;
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is Hit => row.id !== null) };
}

const nameOf = ({ order, showStats }: ListWhere) => `lb_list_${order}${showStats ? '_stats' : ''}`;

type Hit = ListedRow & { count: number };
type Found = Hit | { id: null; count: number };

/** The count comes along even when the page is empty. */
export function listQuery(where: ListWhere, conditions: readonly RawBuilder<unknown>[]): RawBuilder<Found> {
  const scope = sql`project_id = ${where.projectId}::int and region_id = ${where.regionId}::int`;
  const filter = sql.join([scope, ...conditions], sql` and `);
  const count =
    conditions.length === 0
      ? sql`select coalesce(sum(count), 0)::bigint as count from resource_counts where ${scope} and resource = 'loadbalancers'`
      : sql`select count(*) as count from load_balancers where ${filter}`;
  return sql<Found>`with page as materialized (
      select p.*, row_number() over () as position from (
        select ${sql.raw(COLUMNS)} from load_balancers where ${filter}
         order by ${orderOf(where.order)} limit ${where.limit}::int offset ${where.offset}::bigint) p
    )
    select c.count, lb.*, ${sql.raw(PARTS)}${sql.raw(where.showStats ? STATS : '')}
      from (${count}) c left join page lb on true
     order by lb.position`;
}

function orderOf(order: ListWhere['order']): RawBuilder<unknown> {
  const { field, direction } = parseOrder<OrderField>(order);
  const nulls = MAY_BE_NULL.has(field) ? ' nulls last' : '';
  return sql.raw(`${field} ${direction}${nulls}, id ${direction}`);
}

export function conditionsOf(filters: Filters): RawBuilder<unknown>[] {
  const { name, operatingStatus, provisioningStatus, loggingEnabled, assignedFloating } = filters;
  const conditions: RawBuilder<unknown>[] = [];
  if (name !== undefined) conditions.push(sql`name = ${name}`);
  if (operatingStatus !== undefined) conditions.push(sql`operating_status = ${operatingStatus}`);
  if (provisioningStatus !== undefined) conditions.push(sql`provisioning_status = ${provisioningStatus}`);
  if (loggingEnabled !== undefined) conditions.push(sql`logging_enabled = ${loggingEnabled}`);
  if (assignedFloating !== undefined) conditions.push(sql`assigned_floating = ${assignedFloating}`);
  conditions.push(...tagConditions(filters));
  return conditions;
}

export async function readListed(
  db: Db,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
  showStats: boolean,
): Promise<ListedRow | undefined> {
  const [row] = await db.named<ListedRow>(
    `lb_get${showStats ? '_stats' : ''}`,
    `select ${COLUMNS}, ${PARTS}${showStats ? STATS : ''} from load_balancers lb
      where id = $1 and project_id = $2 and region_id = $3`,
    [where.id, where.projectId, where.regionId],
  );
  return row;
}

/** Those of these ids that exist, in any order. */
export async function readListedByIds(db: Db, ids: readonly string[]): Promise<readonly ListedRow[]> {
  if (ids.length === 0) return [];
  return db.named<ListedRow>(
    'lb_get_many',
    `select ${COLUMNS}, ${PARTS} from load_balancers lb where id = any($1::uuid[])`,
    [ids],
  );
}
