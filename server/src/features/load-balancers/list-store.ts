import type { UtcText } from '../../kernel/codecs.ts';
import { type NameFilter, named } from '../../platform/database/contains.ts';
import type { Db } from '../../platform/database/db.ts';
import { JsonRows } from '../../platform/database/json-rows.ts';
import { inScope, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { listOf, without } from '../../platform/database/rows.ts';
import { empty, type Sql, sql } from '../../platform/database/sql.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import { type CarriedFloatingIps, FLOATING_IPS_OF_LB } from '../networking/floating-ips/index.ts';
import { EXTERNAL_SUBNET_OF } from '../networking/networks/index.ts';
import { COLUMNS } from './columns.ts';
import { COUNTED } from './counters.ts';
import type { LoadBalancerRow, OrderField } from './model.ts';
import type { DdosProfileRecord } from './schema-ddos.ts';

/** Lists of load balancers: one statement a page, however many listeners they have. */

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

export interface Filters extends TagFilters, NameFilter {
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

const LISTENER_IDS = sql`(select string_agg(l.id::text, ',' order by l.created_at, l.id) from lb_listeners l
    where l.load_balancer_id = lb.id) as listener_ids`;

const STATS = sql`, (select jsonb_build_object(
    'active_connections', coalesce(sum(s.active_connections), 0), 'bytes_in', coalesce(sum(s.bytes_in), 0),
    'bytes_out', coalesce(sum(s.bytes_out), 0), 'request_errors', coalesce(sum(s.request_errors), 0),
    'total_connections', coalesce(sum(s.total_connections), 0))
     from (${COUNTED}) s where s.load_balancer_id = lb.id) as stats`;

const DDOS_PROFILE = sql`, (select d.profile || jsonb_build_object('id', d.id) from lb_ddos_profiles d
    where d.load_balancer_id = lb.id) as ddos_profile`;

/** What is shown of `lb`, a load balancer. */
const columnsOf = ({ stats, ddos }: Shown) =>
  sql`${listOf(LISTED, 'lb')}, ${LISTENER_IDS}, ${FLOATING_IPS_OF_LB}${stats ? STATS : empty}${ddos ? DDOS_PROFILE : empty}`;

/** The subnet of the virtual address: its own, or the region's. */
const SHOWN_SUBNET = sql`coalesce(lb.vip_subnet_id, (${EXTERNAL_SUBNET_OF} lb.region_id)) as shown_subnet_id`;

/** The page, and how many load balancers match in all. */
export async function listLoadBalancers(db: Db, where: ListWhere): Promise<Page<ListedRow>> {
  const { filters, order, shown, limit, offset } = where;
  const conditions = conditionsOf(filters);
  const { field, direction } = parseOrder<OrderField>(order);
  const shape = rowsOf(shown);
  const { count, rows } = await listPage<{ row: readonly unknown[] }>(db, {
    // Filters have too many combinations to keep them all prepared.
    prepared: conditions.length === 0,
    table: 'load_balancers',
    alias: 'lb',
    columns: sql`lb.id, ${shape.sql} as row`,
    joins: sql`left join lateral (select ${columnsOf(shown)}, ${SHOWN_SUBNET}) r on lb.id is not null`,
    where: [inScope(where), ...conditions],
    // What has no value comes last in ascending order and first in descending order: one index serves both.
    order: `${field} ${direction}, id ${direction}`,
    limit,
    offset,
  });
  return { count, rows: rows.map(({ row }) => shape.read(row)) };
}

function conditionsOf(filters: Filters): Sql[] {
  const { operatingStatus, provisioningStatus, loggingEnabled, assignedFloating } = filters;
  const conditions = named(filters);
  if (operatingStatus !== undefined) conditions.push(sql`operating_status = ${operatingStatus}`);
  if (provisioningStatus !== undefined) conditions.push(sql`provisioning_status = ${provisioningStatus}`);
  if (loggingEnabled !== undefined) conditions.push(sql`logging_enabled = ${loggingEnabled}`);
  if (assignedFloating !== undefined) conditions.push(sql`assigned_floating = ${assignedFloating}`);
  return [...conditions, ...tagConditions(filters)];
}

export async function readListed(
  db: Db,
  where: { readonly id: string; readonly projectId: number; readonly regionId: number },
  shown: Shown,
): Promise<ListedRow | undefined> {
  const rows = rowsOf(shown);
  const found = await db.row<{ row: readonly unknown[] }>(sql`
    select ${rows.sql} as row from (select ${columnsOf(shown)}, ${SHOWN_SUBNET} from load_balancers lb
     where id = ${where.id} and ${inScope(where)}) r`);
  return found && rows.read(found.row);
}

/** Those of these ids that exist, in any order. */
export async function readListedByIds(db: Db, ids: readonly string[]): Promise<readonly ListedRow[]> {
  if (ids.length === 0) return [];
  const rows = rowsOf(PLAIN);
  const found = await db.rows<{ row: readonly unknown[] }>(sql`
    select ${rows.sql} as row from (
      select ${columnsOf(PLAIN)}, ${SHOWN_SUBNET} from load_balancers lb where id = any(${ids}::uuid[])) r`);
  return found.map(({ row }) => rows.read(row));
}
