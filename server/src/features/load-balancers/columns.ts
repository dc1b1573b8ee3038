import { without } from '../../platform/database/rows.ts';
import type { DB } from '../../platform/database/schema.gen.ts';

/** The columns of load balancers, listeners, pools and members: reading, writing and their row types follow these
 *  lists. */

type Columns<Table extends keyof DB> = readonly (keyof DB[Table])[];

/** What a client can change without replacing anything. */
export const SETTINGS = [
  'name',
  'tags',
  'logging',
  'preferred_connectivity',
  'admin_state_up',
] as const satisfies Columns<'load_balancers'>;

/** Beside the settings: what its creation decides. */
const CREATED = [
  'id',
  'project_id',
  'region_id',
  'client_id',
  'flavor',
  'vip_address',
  'vip_ip_family',
  'vip_port_id',
  'vip_subnet_id',
  'vip_space',
  'additional_subnet_id',
  'additional_space',
  'task_id',
  'created_at',
] as const satisfies Columns<'load_balancers'>;

/** What a creation writes. */
export const INSERTED = [...SETTINGS, ...CREATED] as const;

export const COLUMNS = [
  ...INSERTED,
  'additional_address',
  'provisioning_status',
  'operating_status',
  'creator_task_id',
  'assigned_floating',
  'version',
  'updated_at',
] as const satisfies Columns<'load_balancers'>;

/** Columns of parts that every kind has. */
export const STATUSES = ['admin_state_up', 'provisioning_status', 'operating_status'] as const;
const TIMEOUTS = ['timeout_client_data', 'timeout_member_connect', 'timeout_member_data'] as const;

export const LISTENER_COLUMNS = [
  'default_pool_id',
  'name',
  'protocol',
  'protocol_port',
  'allowed_cidrs',
  'connection_limit',
  'insert_x_forwarded',
  'normalize_path',
  'user_list',
  'secret_id',
  'sni_secret_ids',
  ...TIMEOUTS,
] as const satisfies Columns<'lb_listeners'>;

export const POOL_COLUMNS = [
  'name',
  'protocol',
  'lb_algorithm',
  'session_persistence',
  'secret_id',
  'ca_secret_id',
  'crl_secret_id',
  'member_http_version',
  'timeout_tunnel',
  ...TIMEOUTS,
] as const satisfies Columns<'lb_pools'>;

export const MEMBER_COLUMNS = [
  'pool_id',
  'address',
  'protocol_port',
  'weight',
  'backup',
  'instance_id',
  'subnet_id',
  'monitor_address',
  'monitor_port',
] as const satisfies Columns<'lb_members'>;

export const MONITOR_COLUMNS = [
  'pool_id',
  'type',
  'delay',
  'timeout',
  'max_retries',
  'max_retries_down',
  'http_method',
  'http_version',
  'url_path',
  'domain_name',
  'expected_codes',
] as const satisfies Columns<'lb_health_monitors'>;

/** What a change may write of each kind of part: never what it is, whose it is, and what it belongs to. */
export const CHANGED_COLUMNS = {
  listener: [
    'admin_state_up',
    'name',
    'default_pool_id',
    'allowed_cidrs',
    'connection_limit',
    'normalize_path',
    'user_list',
    'secret_id',
    'sni_secret_ids',
    ...TIMEOUTS,
  ],
  pool: ['admin_state_up', ...POOL_COLUMNS],
  member: ['admin_state_up', ...without(MEMBER_COLUMNS, ['pool_id'])],
  monitor: ['admin_state_up', ...without(MONITOR_COLUMNS, ['pool_id'])],
  policy: [
    'name',
    'action',
    'position',
    'tags',
    'redirect_url',
    'redirect_prefix',
    'redirect_pool_id',
    'redirect_http_code',
  ],
  rule: ['type', 'compare_type', 'key', 'value', 'invert', 'tags'],
} as const;
