import { NotFound } from '../../../kernel/errors.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import { listOf, pick, without } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { LISTENER_COLUMNS, STATUSES } from '../columns.ts';
import type { StatsRow } from '../list-store.ts';
import type { ListenerRow } from '../model.ts';
import { listParts, readPart } from '../parts/list-store.ts';
import type { ListenerListQuery } from './schema.ts';

/** A listener as lists show it. */
interface ListedListener extends ListenerRow {
  readonly load_balancer_id: string;
  readonly creator_task_id: string | null;
  readonly task_id: string | null;
  readonly pool_count: number;
  /** Absent unless asked for. */
  readonly stats?: StatsRow | null;
}

const SHOWN = ['id', 'load_balancer_id', ...STATUSES, 'task_id', 'creator_task_id'] as const;

const COLUMNS = sql`${listOf([...SHOWN, ...LISTENER_COLUMNS], 't')},
  (select count(distinct pool) from (select t.default_pool_id as pool
     union all select p.redirect_pool_id from lb_l7_policies p where p.listener_id = t.id) u) as pool_count`;

const STATS = sql`, (select jsonb_build_object('active_connections', s.active_connections, 'bytes_in', s.bytes_in,
    'bytes_out', s.bytes_out, 'request_errors', s.request_errors, 'total_connections', s.total_connections)
     from lb_listener_stats s where s.listener_id = t.id) as stats`;

const listing = (showStats: boolean) => ({
  table: 'lb_listeners',
  columns: showStats ? sql`${COLUMNS}${STATS}` : COLUMNS,
});

export async function listListeners(ctx: RegionContext, query: ListenerListQuery) {
  refuseUnstorable(query, 'query');
  const { name, show_stats: showStats } = query;
  const loadBalancerId = query.load_balancer_id ?? query.loadbalancer_id;
  const page = await listParts<ListedListener>(ctx.db, listing(showStats), {
    ...ctx.scope,
    conditions: [
      ...(loadBalancerId === undefined ? [] : [sql`load_balancer_id = ${loadBalancerId}::uuid`]),
      ...(name === undefined ? [] : [sql`name = ${name}`]),
    ],
    limit: query.limit,
    offset: query.offset,
  });
  return viewPage(page, (row) => viewListener(row, showStats));
}

/** @throws NotFound */
export async function getListener(ctx: RegionContext, id: string, showStats: boolean) {
  const row = await readPart<ListedListener>(ctx.db, listing(showStats), { id, ...ctx.scope });
  if (!row) throw new NotFound(`Listener ${id} was not found`);
  return viewListener(row, showStats);
}

const NO_STATS: StatsRow = {
  active_connections: 0,
  bytes_in: 0,
  bytes_out: 0,
  request_errors: 0,
  total_connections: 0,
};

const FORWARDED = { 'X-Forwarded-For': 'true', 'X-Forwarded-Port': 'true', 'X-Forwarded-Proto': 'true' };

/** What is not shown as it is kept. */
const OTHERWISE = ['insert_x_forwarded', 'sni_secret_ids', 'user_list'] as const;

const AS_KEPT = [...SHOWN, ...without(LISTENER_COLUMNS, OTHERWISE)];

function viewListener(row: ListedListener, showStats: boolean) {
  const { insert_x_forwarded, sni_secret_ids, user_list, pool_count, stats } = row;
  return {
    insert_headers: insert_x_forwarded ? FORWARDED : {},
    pool_count,
    sni_secret_id: sni_secret_ids,
    stats: showStats ? (stats ?? NO_STATS) : null,
    user_list: user_list.map(({ username, encrypted_password }) => ({ username, encrypted_password })),
    ...pick(row, AS_KEPT),
  };
}
