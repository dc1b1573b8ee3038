import { isDeepStrictEqual } from 'node:util';
import { Conflict, Locked } from '../../kernel/errors.ts';
import { pick, type RowOf } from '../../platform/database/rows.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import {
  type COLUMNS,
  type LISTENER_COLUMNS,
  type MEMBER_COLUMNS,
  type MONITOR_COLUMNS,
  type POOL_COLUMNS,
  SETTINGS,
  type STATUSES,
} from './columns.ts';
import type {
  DesiredL7Policy,
  DesiredL7Rule,
  HealthMonitorType,
  LastCheck,
  LbAlgorithm,
  ListenerProtocol,
  MemberHttpVersion,
  PoolProtocol,
} from './port.ts';

export const PROVISIONING_STATUSES = [
  'ACTIVE',
  'DELETED',
  'ERROR',
  'PENDING_CREATE',
  'PENDING_DELETE',
  'PENDING_UPDATE',
] as const;
export type ProvisioningStatus = (typeof PROVISIONING_STATUSES)[number];

export const OPERATING_STATUSES = [
  'DEGRADED',
  'DRAINING',
  'ERROR',
  'NO_MONITOR',
  'OFFLINE',
  'ONLINE',
] as const;
export type OperatingStatus = (typeof OPERATING_STATUSES)[number];

export const ORDER_FIELDS = [
  'created_at',
  'flavor',
  'name',
  'operating_status',
  'provisioning_status',
  'updated_at',
  'vip_address',
  'vip_ip_family',
] as const;
export type OrderField = (typeof ORDER_FIELDS)[number];

/** Where a load balancer may go from where it is. DELETED is never stored: the row goes with it. */
export const TRANSITIONS: Readonly<Record<ProvisioningStatus, readonly ProvisioningStatus[]>> = {
  PENDING_CREATE: ['ACTIVE', 'DELETED', 'ERROR'],
  ACTIVE: ['PENDING_UPDATE', 'PENDING_DELETE'],
  PENDING_UPDATE: ['ACTIVE', 'ERROR'],
  PENDING_DELETE: ['DELETED', 'ERROR'],
  ERROR: ['PENDING_UPDATE', 'PENDING_DELETE'],
  DELETED: [],
};

export interface Logging {
  readonly destination_region_id: number | null;
  readonly enabled: boolean;
  readonly retention_policy: { readonly period: number | null } | null;
  readonly topic_name: string | null;
}

export type LoadBalancerRow = RowOf<
  'load_balancers',
  typeof COLUMNS,
  {
    preferred_connectivity: 'L2' | 'L3';
    vip_ip_family: 'ipv4' | 'ipv6' | 'dual' | null;
    tags: StoredTags;
    logging: Logging | null;
    provisioning_status: ProvisioningStatus;
    operating_status: OperatingStatus;
  }
>;

/** What a client can change without replacing anything. */
export type Settings = Pick<LoadBalancerRow, (typeof SETTINGS)[number]>;

export const settingsOf = (row: LoadBalancerRow): Settings => pick(row, SETTINGS);

/** Those of a load balancer whose body says nothing of them. */
export const DEFAULT_SETTINGS: Omit<Settings, 'name'> = {
  tags: {},
  logging: null,
  preferred_connectivity: 'L2',
  admin_state_up: true,
};

/** Settings with what a body gives; its tags and logging are not kept as they are given. */
export function settingsAfter<Before extends Partial<Settings>>(
  before: Before,
  input: Partial<Omit<Settings, 'tags' | 'logging'>>,
  { tags, logging }: Pick<Settings, 'tags' | 'logging'>,
) {
  const given = Object.fromEntries(
    SETTINGS.flatMap((name) => {
      const value = Reflect.get(input, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { ...before, ...given, tags, logging };
}

interface Statuses {
  readonly admin_state_up: boolean;
  readonly provisioning_status: ProvisioningStatus;
  readonly operating_status: OperatingStatus;
}

type PartNarrow = Pick<Statuses, 'provisioning_status' | 'operating_status'>;

export type ListenerRow = RowOf<
  'lb_listeners',
  readonly ['id', ...typeof LISTENER_COLUMNS, ...typeof STATUSES],
  PartNarrow & {
    protocol: ListenerProtocol;
    allowed_cidrs: readonly string[] | null;
    user_list: readonly { readonly username: string; readonly encrypted_password: string }[];
    sni_secret_ids: readonly string[];
  }
>;

export interface SessionPersistence {
  readonly type: 'APP_COOKIE' | 'HTTP_COOKIE' | 'SOURCE_IP';
  readonly cookie_name: string | null;
  readonly persistence_timeout: number | null;
  readonly persistence_granularity: string | null;
}

export type PoolRow = RowOf<
  'lb_pools',
  readonly ['id', ...typeof POOL_COLUMNS, ...typeof STATUSES],
  PartNarrow & {
    protocol: PoolProtocol;
    lb_algorithm: LbAlgorithm;
    session_persistence: SessionPersistence | null;
    member_http_version: MemberHttpVersion;
  }
>;

export type MemberRow = RowOf<
  'lb_members',
  readonly ['id', 'last_check', ...typeof MEMBER_COLUMNS, ...typeof STATUSES],
  PartNarrow & {
    /** Null: nothing checks it, or nothing has yet. */
    last_check: LastCheck | null;
  }
>;

export const HTTP_METHODS = [
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
] as const;

export type HealthMonitorRow = RowOf<
  'lb_health_monitors',
  readonly ['id', ...typeof MONITOR_COLUMNS, ...typeof STATUSES],
  PartNarrow & {
    type: HealthMonitorType;
    http_method: (typeof HTTP_METHODS)[number] | null;
    http_version: '1.0' | '1.1' | null;
  }
>;

export interface L7PolicyRow extends Statuses {
  readonly id: string;
  readonly listener_id: string;
  readonly name: string;
  readonly action: DesiredL7Policy['action'];
  /** From 1 upwards. */
  readonly position: number;
  readonly redirect_url: string | null;
  readonly redirect_prefix: string | null;
  readonly redirect_pool_id: string | null;
  readonly redirect_http_code: number | null;
  readonly tags: readonly string[];
}

export interface L7RuleRow extends Statuses {
  readonly id: string;
  readonly policy_id: string;
  readonly type: DesiredL7Rule['type'];
  readonly compare_type: DesiredL7Rule['compareType'];
  readonly key: string | null;
  readonly value: string;
  readonly invert: boolean;
  readonly tags: readonly string[];
}

/** The rows of each kind of part. */
export interface PartRows {
  readonly listener: ListenerRow;
  readonly pool: PoolRow;
  readonly member: MemberRow;
  readonly monitor: HealthMonitorRow;
  readonly policy: L7PolicyRow;
  readonly rule: L7RuleRow;
}

/** A load balancer with everything that belongs to it. */
export interface LoadBalancerTree extends LoadBalancerRow {
  /** Whether its client is suspended, and what it has serves nobody. */
  readonly data_planes_stopped?: boolean;
  /** Addresses of the floating IPs that lead to it. */
  readonly floating_addresses: readonly string[];
  /** Addresses that are reserved for its port, while it does not have them. */
  readonly reserved_address: string | null;
  readonly reserved_additional: string | null;
  readonly listeners: readonly ListenerRow[];
  readonly pools: readonly PoolRow[];
  readonly members: readonly MemberRow[];
  readonly monitors: readonly HealthMonitorRow[];
  readonly policies: readonly L7PolicyRow[];
  readonly rules: readonly L7RuleRow[];
}

/** The virtual addresses of a load balancer: that of `vip_address`, and of one with two the additional one. */
export type Vips = readonly [string, ...string[]];

/** Undefined until it has all of them. */
export function vipsOf(
  row: Pick<LoadBalancerRow, 'vip_address' | 'additional_address' | 'additional_subnet_id'>,
): Vips | undefined {
  const { vip_address: first, additional_address: second, additional_subnet_id: secondSubnet } = row;
  if (first === null) return undefined;
  if (secondSubnet === null) return [first];
  return second === null ? undefined : [first, second];
}

/** A load balancer without the parts that are being deleted. */
export function withoutDeleted(tree: LoadBalancerTree): LoadBalancerTree {
  const staying = <Part extends Statuses>(parts: readonly Part[]) =>
    parts.filter((part) => part.provisioning_status !== 'PENDING_DELETE');
  return {
    ...tree,
    listeners: staying(tree.listeners),
    pools: staying(tree.pools),
    members: staying(tree.members),
    monitors: staying(tree.monitors),
    policies: staying(tree.policies),
    rules: staying(tree.rules),
  };
}

/** @throws Conflict naming the task that holds the lock, or saying that the state does not allow it */
export function requireTransition(
  row: Pick<LoadBalancerRow, 'id' | 'task_id' | 'provisioning_status'>,
  to: ProvisioningStatus,
): void {
  if (row.task_id !== null) {
    throw new Locked(`Load balancer ${row.id} is ${row.provisioning_status} and`, row.task_id);
  }
  if (!TRANSITIONS[row.provisioning_status].includes(to)) {
    throw new Conflict(`Load balancer ${row.id} is ${row.provisioning_status} and cannot become ${to}`);
  }
}

/** Whether what the data plane serves depends on what differs between the two. */
export function concernsDataPlane(before: Settings, after: Settings): boolean {
  return before.admin_state_up !== after.admin_state_up || !isDeepStrictEqual(before.logging, after.logging);
}

export const sameSettings = (a: Settings, b: Settings): boolean =>
  SETTINGS.every((name) => isDeepStrictEqual(a[name], b[name]));
