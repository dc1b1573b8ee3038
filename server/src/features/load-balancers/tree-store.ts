import type { Db, Queryable } from '../../platform/database/db.ts';
import { listPage, newestIn, type Page, type Paging } from '../../platform/database/list-page.ts';
import { listOf } from '../../platform/database/rows.ts';
import { byKey, SharedLookUp } from '../../platform/database/shared-look-up.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import type { Scope } from '../../platform/http/context.ts';
import { FLOATING_ADDRESSES_OF_LB } from '../networking/floating-ips/index.ts';
import { RESERVED_ADDRESS_OF_LB } from '../networking/reserved-fixed-ips/index.ts';
import { COLUMNS } from './columns.ts';
import type { LoadBalancerTree, ProvisioningStatus } from './model.ts';

/** Load balancers with everything that belongs to them, one statement however many there are. */

const parts = (table: string, order: string) =>
  `coalesce((select jsonb_agg(to_jsonb(t) - 'previous' order by ${order}) from ${table} t where t.load_balancer_id = lb.id), '[]')`;

const IN_ORDER = 't.created_at, t.id';

const TREE = sql`${listOf(COLUMNS, 'lb')},
  ${raw(parts('lb_listeners', IN_ORDER))} as listeners,
  ${raw(parts('lb_pools', IN_ORDER))} as pools,
  ${raw(parts('lb_members', IN_ORDER))} as members,
  ${raw(parts('lb_health_monitors', 't.id'))} as monitors,
  ${raw(parts('lb_l7_policies', 't.position, t.id'))} as policies,
  ${raw(parts('lb_l7_rules', IN_ORDER))} as rules,
  ${FLOATING_ADDRESSES_OF_LB}, ${RESERVED_ADDRESS_OF_LB},
  (select data_planes_stopped from clients c where c.id = lb.client_id) as data_planes_stopped`;

export async function readTree(db: Queryable, id: string): Promise<LoadBalancerTree | undefined> {
  return db.row<LoadBalancerTree>(sql`select ${TREE} from load_balancers lb where lb.id = ${id}`);
}

export async function readTrees(db: Queryable, ids: readonly string[]): Promise<LoadBalancerTree[]> {
  if (ids.length === 0) return [];
  return db.rows<LoadBalancerTree>(
    sql`select ${TREE} from load_balancers lb where lb.id = any(${ids}::uuid[])`,
  );
}

const shared = new WeakMap<Db, SharedLookUp<string, LoadBalancerTree>>();

/** The same of one, by a statement that others who ask at the same moment share: many tasks do. */
export function readTreeWithOthers(db: Db, id: string): Promise<LoadBalancerTree | undefined> {
  const known = shared.get(db) ?? new SharedLookUp(async (ids) => byKey(await readTrees(db, ids), 'id'));
  shared.set(db, known);
  return known.get(id);
}

/** A page of a region's load balancers, newest first, and how many there are in all. */
export function readTreePage(
  db: Db,
  { limit, offset, ...scope }: Scope & Paging,
): Promise<Page<LoadBalancerTree>> {
  return listPage<LoadBalancerTree>(db, {
    prepared: true,
    table: 'load_balancers',
    alias: 'lb',
    columns: TREE,
    ...newestIn(scope),
    limit,
    offset,
  });
}

/** Just enough to notice that a load balancer changed. */
export interface VersionRow {
  readonly id: string;
  readonly region_id: number;
  readonly version: number;
  readonly provisioning_status: ProvisioningStatus;
  readonly vip_address: string | null;
  readonly additional_address: string | null;
}

export async function readVersions(db: Queryable, regionIds: readonly number[]): Promise<VersionRow[]> {
  if (regionIds.length === 0) return [];
  return db.rows<VersionRow>(sql`select id, region_id, version, provisioning_status, vip_address, additional_address from load_balancers
      where region_id = any(${regionIds}::int[])`);
}
