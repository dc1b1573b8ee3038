import { NotFound } from '../../../kernel/errors.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import { listOf, pick, without } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { MONITOR_COLUMNS, POOL_COLUMNS, STATUSES } from '../columns.ts';
import { viewMember } from '../members/reads.ts';
import type { HealthMonitorRow, MemberRow, PoolRow } from '../model.ts';
import { listParts, readPart } from '../parts/list-store.ts';
import type { PoolListQuery } from './schema.ts';

/** A pool as lists show it. */
interface ListedPool extends PoolRow {
  readonly load_balancer_id: string;
  readonly creator_task_id: string | null;
  readonly task_id: string | null;
  readonly listener_ids: readonly string[];
  readonly monitor: HealthMonitorRow | null;
  /** Only their ids, unless more is asked for. */
  readonly members: readonly (MemberRow | { readonly id: string })[];
}

/** Listeners that send requests to it: by default, or by an L7 policy. */
const LISTENER_IDS = sql`coalesce((select jsonb_agg(l.id order by l.created_at, l.id) from lb_listeners l
    where l.id in (select d.id from lb_listeners d where d.default_pool_id = t.id
             union select p.listener_id from lb_l7_policies p where p.redirect_pool_id = t.id)), '[]')`;

const SHOWN = ['id', ...POOL_COLUMNS, ...STATUSES, 'task_id', 'creator_task_id'] as const;

const columns = (details: boolean) => sql`t.load_balancer_id, ${listOf(SHOWN, 't')},
  ${LISTENER_IDS} as listener_ids,
  (select to_jsonb(h) - 'previous' from lb_health_monitors h where h.pool_id = t.id) as monitor,
  coalesce((select jsonb_agg(${details ? sql`to_jsonb(m) - 'previous'` : sql`jsonb_build_object('id', m.id)`}
                             order by m.created_at, m.id) from lb_members m where m.pool_id = t.id), '[]') as members`;

const listing = (details: boolean) => ({
  table: 'lb_pools',
  columns: columns(details),
});

const poolsOf = (listenerId: string) =>
  sql`select default_pool_id from lb_listeners where id = ${listenerId}::uuid and default_pool_id is not null
      union select redirect_pool_id from lb_l7_policies
             where listener_id = ${listenerId}::uuid and redirect_pool_id is not null`;

export async function listPools(ctx: RegionContext, query: PoolListQuery) {
  refuseUnstorable(query, 'query');
  const { listener_id: listenerId, name, details } = query;
  const loadBalancerId = query.load_balancer_id ?? query.loadbalancer_id;
  const page = await listParts<ListedPool>(ctx.db, listing(details), {
    ...ctx.scope,
    conditions: [
      ...(loadBalancerId === undefined ? [] : [sql`load_balancer_id = ${loadBalancerId}::uuid`]),
      ...(listenerId === undefined ? [] : [sql`id = any(array(${poolsOf(listenerId)}))`]),
      ...(name === undefined ? [] : [sql`name = ${name}`]),
    ],
    limit: query.limit,
    offset: query.offset,
  });
  return viewPage(page, viewPool);
}

/** @throws NotFound */
export async function getPool(ctx: RegionContext, id: string) {
  const row = await readPart<ListedPool>(ctx.db, listing(true), { id, ...ctx.scope });
  if (!row) throw new NotFound(`Pool ${id} was not found`);
  return viewPool(row);
}

/** @throws NotFound for the pool, or when it has none */
export async function getHealthMonitor(ctx: RegionContext, poolId: string) {
  const { healthmonitor } = await getPool(ctx, poolId);
  if (!healthmonitor) throw new NotFound(`Pool ${poolId} has no health monitor`);
  return healthmonitor;
}

const AS_KEPT = without(SHOWN, ['session_persistence']);

function viewPool(row: ListedPool) {
  return {
    listeners: row.listener_ids.map((id) => ({ id })),
    loadbalancers: [{ id: row.load_balancer_id }],
    members: row.members.map((member) => ('address' in member ? viewMember(member) : { id: member.id })),
    healthmonitor: row.monitor && viewMonitor(row.monitor),
    session_persistence: row.session_persistence && {
      type: row.session_persistence.type,
      cookie_name: row.session_persistence.cookie_name,
      persistence_timeout: row.session_persistence.persistence_timeout,
      persistence_granularity: row.session_persistence.persistence_granularity,
    },
    ...pick(row, AS_KEPT),
  };
}

const viewMonitor = (row: HealthMonitorRow) =>
  pick(row, ['id', ...without(MONITOR_COLUMNS, ['pool_id']), ...STATUSES]);
