import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/ids.ts';
import { canonicalIp } from '../../../kernel/ip.ts';
import type { HealthMonitorInput } from '../health-monitors/schema.ts';
import type { ListenerInput } from '../listeners/schema.ts';
import type { MemberInput } from '../members/schema.ts';
import type { L7PolicyRow, L7RuleRow, SessionPersistence } from '../model.ts';
import type { PoolInput } from '../pools/schema.ts';
import type { PartKind } from './kinds.ts';

/** A row to be inserted, every column filled in. */
export type NewRow = Readonly<Record<string, unknown>> & { readonly id: string };

type NewPolicy = Omit<L7PolicyRow, 'id' | 'listener_id' | StateColumn>;
type NewRule = Omit<L7RuleRow, 'id' | 'policy_id' | StateColumn>;
type StateColumn = 'admin_state_up' | 'provisioning_status' | 'operating_status';

export interface RowScope {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly taskId: string;
  readonly loadBalancer: { readonly id: string; readonly project_id: number; readonly region_id: number };
}

/** Collects the rows of new parts, every default filled in. */
export class NewRows {
  readonly of: Readonly<Record<PartKind, NewRow[]>> = {
    pool: [],
    member: [],
    monitor: [],
    listener: [],
    policy: [],
    rule: [],
  };
  readonly #scope: RowScope;

  constructor(scope: RowScope) {
    this.#scope = scope;
  }

  /** A timestamp of its own for each part keeps them in the order of the body. */
  #new() {
    const { ids, clock, taskId, loadBalancer } = this.#scope;
    return {
      id: ids.uuid(),
      load_balancer_id: loadBalancer.id,
      project_id: loadBalancer.project_id,
      region_id: loadBalancer.region_id,
      admin_state_up: true,
      provisioning_status: 'PENDING_CREATE',
      operating_status: 'OFFLINE',
      task_id: taskId,
      creator_task_id: taskId,
      created_at: clock.timestamp(),
    };
  }

  /** @param poolId of a pool that exists; otherwise the listener's own new pool, if the input has one */
  addListener(listener: ListenerInput, poolId: string | null = null): string {
    const [pool] = listener.pools ?? [];
    const row = {
      ...this.#new(),
      default_pool_id: pool ? this.addPool(pool) : poolId,
      name: listener.name,
      protocol: listener.protocol,
      protocol_port: listener.protocol_port,
      allowed_cidrs: listener.allowed_cidrs ?? null,
      connection_limit: listener.connection_limit,
      insert_x_forwarded: listener.insert_x_forwarded ?? false,
      normalize_path: listener.normalize_path ?? true,
      user_list: listener.user_list ?? [],
      secret_id: listener.secret_id || null,
      sni_secret_ids: listener.sni_secret_id ?? [],
      ...timeouts(listener),
    };
    this.of.listener.push(row);
    return row.id;
  }

  addPool(pool: PoolInput): string {
    const row = {
      ...this.#new(),
      name: pool.name,
      protocol: pool.protocol,
      lb_algorithm: pool.lb_algorithm,
      session_persistence: storedPersistence(pool.session_persistence),
      secret_id: pool.secret_id ?? null,
      ca_secret_id: pool.ca_secret_id ?? null,
      crl_secret_id: pool.crl_secret_id ?? null,
      member_http_version: pool.member_http_version ?? '1.1',
      timeout_tunnel: pool.timeout_tunnel ?? null,
      ...timeouts(pool),
    };
    this.of.pool.push(row);
    for (const member of pool.members ?? []) this.addMember(row.id, member);
    if (pool.healthmonitor) this.addMonitor(row.id, pool.healthmonitor);
    return row.id;
  }

  addMember(poolId: string, member: MemberInput): string {
    const row = { ...this.#new(), pool_id: poolId, ...memberColumns(member) };
    this.of.member.push(row);
    return row.id;
  }

  addMonitor(poolId: string, monitor: HealthMonitorInput): string {
    const row = { ...this.#new(), pool_id: poolId, ...monitorColumns(monitor) };
    this.of.monitor.push(row);
    return row.id;
  }

  addPolicy(listenerId: string, columns: NewPolicy): string {
    const row = { ...this.#new(), listener_id: listenerId, ...columns };
    this.of.policy.push(row);
    return row.id;
  }

  addRule(policyId: string, columns: NewRule): string {
    const row = { ...this.#new(), policy_id: policyId, ...columns };
    this.of.rule.push(row);
    return row.id;
  }
}

/** An optional address in the spelling in which it is stored. */
export const storedAddress = (text: string | null | undefined): string | null =>
  text == null ? null : (canonicalIp(text) ?? text);

/** A member of a body as it is stored. */
export function memberColumns(member: MemberInput) {
  return {
    address: canonicalIp(member.address) ?? member.address,
    protocol_port: member.protocol_port,
    weight: member.weight ?? 1,
    backup: member.backup,
    admin_state_up: member.admin_state_up,
    instance_id: member.instance_id,
    subnet_id: member.subnet_id,
    monitor_address: storedAddress(member.monitor_address),
    monitor_port: member.monitor_port,
  };
}

/** A health monitor of a body as it is stored. */
export function monitorColumns(monitor: HealthMonitorInput) {
  const http = monitor.type === 'HTTP' || monitor.type === 'HTTPS';
  return {
    type: monitor.type,
    delay: monitor.delay,
    timeout: monitor.timeout,
    max_retries: monitor.max_retries,
    max_retries_down: monitor.max_retries_down ?? 3,
    admin_state_up: monitor.admin_state_up ?? true,
    http_method: monitor.http_method ?? (http ? 'GET' : null),
    http_version: monitor.http_version ?? null,
    url_path: monitor.url_path ?? (http ? '/' : null),
    domain_name: monitor.domain_name ?? null,
    expected_codes: monitor.expected_codes ?? (http ? '200' : null),
  };
}

function timeouts(from: PoolInput | ListenerInput) {
  return {
    timeout_client_data: from.timeout_client_data ?? null,
    timeout_member_connect: from.timeout_member_connect ?? null,
    timeout_member_data: from.timeout_member_data ?? null,
  };
}

export function storedPersistence(given: PoolInput['session_persistence']): SessionPersistence | null {
  if (!given) return null;
  return {
    type: given.type,
    cookie_name: given.cookie_name ?? null,
    persistence_timeout: given.persistence_timeout ?? null,
    persistence_granularity: given.persistence_granularity ?? null,
  };
}
