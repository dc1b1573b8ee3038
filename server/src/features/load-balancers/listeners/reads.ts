import { sql } from 'kysely';
import { NotFound } from '../../../kernel/errors.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import type { StatsRow } from '../list-store.ts';
import type { ListenerRow } from '../model.ts';
import { listParts, readPart } from '../parts/list-store.ts';
import type { ListenerListQuery } from './schema.ts';

const DEFAULT_LIMIT = 1000;

/** A listener as lists show it. */
interface ListedListener extends ListenerRow {
  readonly load_balancer_id: string;
  readonly creator_task_id: string | null;
  readonly task_id: string | null;
  readonly pool_count: number;
  /** Absent unless asked for. */
  readonly stats?: StatsRow | null;
}

const COLUMNS = `t.id, t.load_balancer_id, t.default_pool_id, t.name, t.protocol, t.protocol_port, t.allowed_cidrs,
  t.connection_limit, t.insert_x_forwarded, t.user_list, t.secret_id, t.sni_secret_ids, t.timeout_client_data,
  t.timeout_member_connect, t.timeout_member_data, t.admin_state_up, t.provisioning_status, t.operating_status,
  t.task_id, t.creator_task_id,
  (select count(distinct pool) from (select t.default_pool_id as pool
     union all select p.redirect_pool_id from lb_l7_policies p where p.listener_id = t.id) u) as pool_count`;

const STATS = `, (select jsonb_build_object('active_connections', s.active_connections, 'bytes_in', s.bytes_in,
    'bytes_out', s.bytes_out, 'request_errors', s.request_errors, 'total_connections', s.total_connections)
     from lb_listener_stats s where s.listener_id = t.id) as stats`;

const listing = (showStats: boolean) => ({
  table: 'lb_listeners',
  resource: 'listeners',
  columns: showStats ? `${COLUMNS}${STATS}` : COLUMNS,
});

const nameOf = (name: string, showStats: boolean) => (showStats ? `${name}_stats` : name);

export async function listListeners(ctx: RegionContext, query: ListenerListQuery) {
  refuseUnstorable(query, 'query');
  const { name, show_stats: showStats = false } = query;
  const loadBalancerId = query.load_balancer_id ?? query.loadbalancer_id;
  const { count, rows } = await listParts<ListedListener>(
    ctx.db,
    { ...listing(showStats), name: nameOf('lb_listener_list', showStats) },
    {
      ...ctx.place,
      conditions: [
        ...(loadBalancerId === undefined ? [] : [sql`load_balancer_id = ${loadBalancerId}::uuid`]),
        ...(name === undefined ? [] : [sql`name = ${name}`]),
      ],
      limit: query.limit ?? DEFAULT_LIMIT,
      offset: query.offset ?? 0,
    },
  );
  return { count, results: rows.map((row) => viewListener(row, showStats)) };
}

/** @throws NotFound */
export async function getListener(ctx: RegionContext, id: string, showStats: boolean) {
  const row = await readPart<ListedListener>(
    ctx.db,
    { ...listing(showStats), name: nameOf('lb_listener_get', showStats) },
    { id, ...ctx.place },
  );
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

function viewListener(row: ListedListener, showStats: boolean) {
  return {
    id: row.id,
    load_balancer_id: row.load_balancer_id,
    default_pool_id: row.default_pool_id,
    name: row.name,
    protocol: row.protocol,
    protocol_port: row.protocol_port,
    admin_state_up: row.admin_state_up,
    operating_status: row.operating_status,
    provisioning_status: row.provisioning_status,
    allowed_cidrs: row.allowed_cidrs,
    connection_limit: row.connection_limit,
    insert_headers: row.insert_x_forwarded ? FORWARDED : {},
    pool_count: row.pool_count,
    secret_id: row.secret_id,
    sni_secret_id: row.sni_secret_ids,
    stats: showStats ? (row.stats ?? NO_STATS) : null,
    timeout_client_data: row.timeout_client_data,
    timeout_member_connect: row.timeout_member_connect,
    timeout_member_data: row.timeout_member_data,
    user_list: row.user_list.map(({ username, encrypted_password }) => ({ username, encrypted_password })),
    creator_task_id: row.creator_task_id,
    task_id: row.task_id,
  };
}
