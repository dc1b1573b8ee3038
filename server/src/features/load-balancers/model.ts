import { Conflict, Locked } from '../../kernel/errors.ts';
import { type StoredTags, sameTags } from '../../platform/http/tags.ts';
import type {
  DesiredL7Policy,
  DesiredL7Rule,
  HealthMonitorType,
  LastCheck,
  LbAlgorithm,
  ListenerProtocol,
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

export interface LoadBalancerRow {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly client_id: number;
  readonly name: string;
  /** null: the default flavor. */
  readonly flavor: string | null;
  readonly preferred_connectivity: 'L2' | 'L3';
  readonly vip_address: string | null;
  readonly vip_ip_family: 'ipv4' | 'ipv6' | 'dual' | null;
  /** The port that has the virtual address. */
  readonly vip_port_id: string;
  /** null: the region's own subnet. */
  readonly vip_subnet_id: string | null;
  readonly vip_space: string;
  /** Of a load balancer with two addresses the second, which is IPv6: its subnet is known from the beginning. */
  readonly additional_address: string | null;
  readonly additional_subnet_id: string | null;
  readonly additional_space: string | null;
  readonly tags: StoredTags;
  readonly logging: Logging | null;
  readonly admin_state_up: boolean;
  readonly provisioning_status: ProvisioningStatus;
  readonly operating_status: OperatingStatus;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

/** What a client can change without replacing anything. */
export type Settings = Pick<
  LoadBalancerRow,
  'name' | 'tags' | 'logging' | 'preferred_connectivity' | 'admin_state_up'
>;

export function settingsOf(row: LoadBalancerRow): Settings {
  const { name, tags, logging, preferred_connectivity, admin_state_up } = row;
  return { name, tags, logging, preferred_connectivity, admin_state_up };
}

interface Statuses {
  readonly admin_state_up: boolean;
  readonly provisioning_status: ProvisioningStatus;
  readonly operating_status: OperatingStatus;
}

interface TimeoutColumns {
  readonly timeout_client_data: number | null;
  readonly timeout_member_connect: number | null;
  readonly timeout_member_data: number | null;
}

export interface ListenerRow extends Statuses, TimeoutColumns {
  readonly id: string;
  readonly default_pool_id: string | null;
  readonly name: string;
  readonly protocol: ListenerProtocol;
  readonly protocol_port: number;
  readonly allowed_cidrs: readonly string[] | null;
  readonly connection_limit: number;
  readonly insert_x_forwarded: boolean;
  readonly user_list: readonly { readonly username: string; readonly encrypted_password: string }[];
  readonly secret_id: string | null;
  readonly sni_secret_ids: readonly string[];
}

export interface SessionPersistence {
  readonly type: 'APP_COOKIE' | 'HTTP_COOKIE' | 'SOURCE_IP';
  readonly cookie_name: string | null;
  readonly persistence_timeout: number | null;
  readonly persistence_granularity: string | null;
}

export interface PoolRow extends Statuses, TimeoutColumns {
  readonly id: string;
  readonly name: string;
  readonly protocol: PoolProtocol;
  readonly lb_algorithm: LbAlgorithm;
  readonly session_persistence: SessionPersistence | null;
  /** Certificate shown to members, authorities that members must chain to, what those have revoked. */
  readonly secret_id: string | null;
  readonly ca_secret_id: string | null;
  readonly crl_secret_id: string | null;
}

export interface MemberRow extends Statuses {
  readonly id: string;
  readonly pool_id: string;
  readonly address: string;
  readonly protocol_port: number;
  readonly weight: number;
  readonly backup: boolean;
  readonly instance_id: string | null;
  readonly subnet_id: string | null;
  readonly monitor_address: string | null;
  readonly monitor_port: number | null;
  /** Null: nothing checks it, or nothing has yet. */
  readonly last_check: LastCheck | null;
}

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

export interface HealthMonitorRow extends Statuses {
  readonly id: string;
  readonly pool_id: string;
  readonly type: HealthMonitorType;
  readonly delay: number;
  readonly timeout: number;
  readonly max_retries: number;
  readonly max_retries_down: number;
  readonly http_method: (typeof HTTP_METHODS)[number] | null;
  readonly http_version: '1.0' | '1.1' | null;
  readonly url_path: string | null;
  readonly domain_name: string | null;
  readonly expected_codes: string | null;
}

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

/** A load balancer with everything that belongs to it. */
export interface LoadBalancerTree extends LoadBalancerRow {
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
  return before.admin_state_up !== after.admin_state_up || !sameLogging(before.logging, after.logging);
}

export function sameSettings(a: Settings, b: Settings): boolean {
  return (
    a.name === b.name &&
    a.preferred_connectivity === b.preferred_connectivity &&
    sameTags(a.tags, b.tags) &&
    !concernsDataPlane(a, b)
  );
}

function sameLogging(a: Logging | null, b: Logging | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.enabled === b.enabled &&
    a.destination_region_id === b.destination_region_id &&
    a.topic_name === b.topic_name &&
    a.retention_policy?.period === b.retention_policy?.period
  );
}
