import { type RawBuilder, sql } from 'kysely';
import type { UtcText } from '../../kernel/codecs.ts';
import type { Db } from '../../platform/database/db.ts';
import { JsonRows } from '../../platform/database/json-rows.ts';
import { type Counted, countIfKept } from '../../platform/database/kept-counts.ts';
import type { Paging } from '../../platform/database/list-page.ts';
import { listOf, without } from '../../platform/database/rows.ts';
import {
  asked,
  countByOthers,
  differs,
  NO_WAY,
  type Way,
  wayInAnyOrder,
} from '../../platform/database/tagged-lists.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import { type CarriedFloatingIps, FLOATING_IPS_OF_LB } from '../networking/floating-ips/index.ts';
import { EXTERNAL_SUBNET_OF } from '../networking/networks/index.ts';
import { COLUMNS } from './columns.ts';
import { COUNTED } from './counters.ts';
import type { LoadBalancerRow, OrderField } from './model.ts';
import type { DdosProfileRecord } from './schema-ddos.ts';

/** Lists of load balancers: one statement a page, however many listeners they have. Where a filter narrows them, another
 *  says before how many it leaves. */

const HIDDEN = ['client_id', 'version', 'vip_space', 'additional_space'] as const;

/** A load balancer as lists show it. */
export interface ListedRow
  extends Omit<LoadBalancerRow, (typeof HIDDEN)[number] | 'created_at' | 'updated_at'> {
  readonly created_at: UtcText;
  readonly updated_at: UtcText | null;
  readonly floating_ips: CarriedFloatingIps;
  readonly shown_subnet_id: string;
  /** Ids of its listeners, separated by commas, or null. */
  readonly listener_ids: string | null;
  /** Sums over its listeners, those that are gone included; absent unless asked for. */
  readonly stats?: StatsRow;
  /** Absent unless asked for. */
  readonly ddos_profile?: DdosProfileRecord | null;
}

/** What is shown on demand only. */
export interface Shown {
  readonly stats: boolean;
  readonly ddos: boolean;
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

export interface ListWhere extends Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly filters: Filters;
  readonly order: `${OrderField}.${'asc' | 'desc'}`;
  readonly shown: Shown;
}

const LISTED = without(COLUMNS, HIDDEN);

const FIELDS = [
  ...LISTED,
  'shown_subnet_id',
  'listener_ids',
  'floating_ips',
] as const satisfies readonly (keyof ListedRow)[];
const TIMES = ['created_at', 'updated_at'] as const;
const suffix = ({ stats, ddos }: Shown) => `${stats ? '_stats' : ''}${ddos ? '_ddos' : ''}`;

const PLAIN: Shown = { stats: false, ddos: false };
/** One shape for each choice of what is shown. */
const SHAPES = new Map(
  [PLAIN, { stats: true, ddos: false }, { stats: false, ddos: true }, { stats: true, ddos: true }].map(
    (shown) => {
      const more = [
        shown.stats ? ('stats' as const) : [],
        shown.ddos ? ('ddos_profile' as const) : [],
      ].flat();
      return [suffix(shown), new JsonRows<ListedRow>([...FIELDS, ...more], TIMES)] as const;
    },
  ),
);

function rowsOf(shown: Shown): JsonRows<ListedRow> {
  const rows = SHAPES.get(suffix(shown));
  if (!rows) throw new Error('every choice has its shape');
  return rows;
}

const LISTENER_IDS = `(select string_agg(l.id::text, ',' order by l.created_at, l.id) from lb_listeners l
    where l.load_balancer_id = lb.id) as listener_ids`;

const STATS = `, (select jsonb_build_object(
    'active_connections', coalesce(sum(s.active_connections), 0), 'bytes_in', coalesce(sum(s.bytes_in), 0),
    'bytes_out', coalesce(sum(s.bytes_out), 0), 'request_errors', coalesce(sum(s.request_errors), 0),
    'total_connections', coalesce(sum(s.total_connections), 0))
     from (${COUNTED}) s where s.load_balancer_id = lb.id) as stats`;

const DDOS_PROFILE = `, (select d.profile || jsonb_build_object('id', d.id) from lb_ddos_profiles d
    where d.load_balancer_id = lb.id) as ddos_profile`;

/** What is shown of `lb`, a load balancer. */
const columnsOf = ({ stats, ddos }: Shown) =>
  `${listOf(LISTED)}, ${LISTENER_IDS}, ${FLOATING_IPS_OF_LB}${stats ? STATS : ''}${ddos ? DDOS_PROFILE : ''}`;

/** The subnet of the virtual address. A list asks once for its region's own, not for each row. */
const SHOWN_SUBNET = `coalesce(lb.vip_subnet_id, (${EXTERNAL_SUBNET_OF} lb.region_id)) as shown_subnet_id`;
const shownSubnet = (regionId: RawBuilder<unknown>) =>
  sql`coalesce(lb.vip_subnet_id, (${sql.raw(EXTERNAL_SUBNET_OF)} ${regionId})) as shown_subnet_id`;

/** The page, and how many load balancers match in all. */
export async function listLoadBalancers(
  db: Db,
  where: ListWhere,
): Promise<{ count: number; rows: readonly ListedRow[] }> {
  const way = await wayInAnyOrder(db, keptOf(where));
  const conditions = conditionsOf(where.filters, way);
  const query = listQuery(where, conditions, way).compile(db.kysely);
  // Prepared under a name where that pays; filters have too many combinations to keep them all prepared.
  const [found] =
    conditions.length === 0
      ? await db.named<Found>(nameOf(where), query.sql, query.parameters)
      : (await db.kysely.executeQuery(query)).rows;
  const rows = rowsOf(where.shown);
  return { count: found?.count ?? 0, rows: (found?.rows ?? []).map((values) => rows.read(values)) };
}

const nameOf = ({ order, shown }: ListWhere) => `lb_list_${order}${suffix(shown)}`;

interface Found {
  readonly count: number;
  readonly rows: readonly (readonly unknown[])[] | null;
}

/** One row: the count, and the page as JSON. Parts are looked up for the rows of the page alone. */
export function listQuery(
  where: ListWhere,
  conditions: readonly RawBuilder<unknown>[],
  way = NO_WAY,
): RawBuilder<Found> {
  const scope = sql`project_id = ${where.projectId}::int and region_id = ${where.regionId}::int`;
  const filter = sql.join([scope, ...conditions], sql` and `);
  // The offset keeps the planner from walking through an order.
  const few = sql`(select * from load_balancers where ${filter} offset 0) few`;
  const count = countOf(where, scope, way) ?? sql`select count(*) from load_balancers where ${filter}`;
  return sql<Found>`select (${count}) as count, (
      select json_agg(${sql.raw(rowsOf(where.shown).sql)}) from (
        select ${sql.raw(columnsOf(where.shown))}, ${shownSubnet(sql`${where.regionId}::int`)} from (
          select * from ${way.few ? few : sql`load_balancers where ${filter}`}
           order by ${orderOf(where.order)} limit ${where.limit}::int offset ${where.offset}::bigint) lb) r) as rows`;
}

const keptOf = (where: ListWhere): Counted => ({
  resource: 'loadbalancers',
  place: where,
  facets: {
    operating_status: where.filters.operatingStatus,
    provisioning_status: where.filters.provisioningStatus,
    logging_enabled: where.filters.loggingEnabled,
    assigned_floating: where.filters.assignedFloating,
  },
  tags: { tagKeys: where.filters.tagKeys, tags: where.filters.tags },
  more: where.filters.name !== undefined,
});

function countOf(where: ListWhere, scope: RawBuilder<unknown>, way: Way): RawBuilder<unknown> | undefined {
  const kept = keptOf(where);
  const from = sql`load_balancers where ${scope}`;
  const tags = sql.join(tagConditions(where.filters).map(asked), sql` and `);
  const others = sql`(${sql.join(othersThan(where.filters), sql` or `)})`;
  return countIfKept(kept) ?? countByOthers(way, kept, { from, others, tags });
}

/** Conditions of which one holds for whatever lacks a facet. */
function othersThan(filters: Filters): RawBuilder<unknown>[] {
  const { operatingStatus, provisioningStatus, loggingEnabled, assignedFloating } = filters;
  const others: RawBuilder<unknown>[] = [];
  if (operatingStatus !== undefined) others.push(differs(sql`operating_status`, operatingStatus));
  if (provisioningStatus !== undefined) others.push(differs(sql`provisioning_status`, provisioningStatus));
  if (loggingEnabled !== undefined)
    others.push(loggingEnabled ? sql`not logging_enabled` : sql`logging_enabled`);
  if (assignedFloating !== undefined)
    others.push(assignedFloating ? sql`not assigned_floating` : sql`assigned_floating`);
  return others;
}

/** What has no value comes last in ascending order and first in descending order: one index serves both. */
function orderOf(order: ListWhere['order']): RawBuilder<unknown> {
  const { field, direction } = parseOrder<OrderField>(order);
  return sql.raw(`${field} ${direction}, id ${direction}`);
}

/** A name leaves few, and so may facets: their tags are asked without the index of tags. */
export function conditionsOf(filters: Filters, way = NO_WAY): RawBuilder<unknown>[] {
  const { name, operatingStatus, provisioningStatus, loggingEnabled, assignedFloating } = filters;
  const conditions: RawBuilder<unknown>[] = [];
  if (name !== undefined) conditions.push(sql`name = ${name}`);
  if (operatingStatus !== undefined) conditions.push(sql`operating_status = ${operatingStatus}`);
  if (provisioningStatus !== undefined) conditions.push(sql`provisioning_status = ${provisioningStatus}`);
  if (loggingEnabled !== undefined) conditions.push(sql`logging_enabled = ${loggingEnabled}`);
  if (assignedFloating !== undefined) conditions.push(sql`assigned_floating = ${assignedFloating}`);
  const tags = tagConditions(filters);
  conditions.push(...(name !== undefined || way.by === 'facets' ? tags.map(asked) : tags));
  return conditions;
}

export async function readListed(
  db: Db,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
  shown: Shown,
): Promise<ListedRow | undefined> {
  const rows = rowsOf(shown);
  const [found] = await db.named<{ row: readonly unknown[] }>(
    `lb_get${suffix(shown)}`,
    `select ${rows.sql} as row from (select ${columnsOf(shown)}, ${SHOWN_SUBNET} from load_balancers lb
      where id = $1 and project_id = $2 and region_id = $3) r`,
    [where.id, where.projectId, where.regionId],
  );
  return found && rows.read(found.row);
}

/** Those of these ids that exist, in any order. */
export async function readListedByIds(db: Db, ids: readonly string[]): Promise<readonly ListedRow[]> {
  if (ids.length === 0) return [];
  const rows = rowsOf(PLAIN);
  const found = await db.named<{ row: readonly unknown[] }>(
    'lb_get_many',
    `select ${rows.sql} as row from (select ${columnsOf(PLAIN)}, ${SHOWN_SUBNET} from load_balancers lb where id = any($1::uuid[])) r`,
    [ids],
  );
  return found.map(({ row }) => rows.read(row));
}
