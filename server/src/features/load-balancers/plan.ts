import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { storedFlavor } from './flavors.ts';
import type { Logging, SessionPersistence } from './model.ts';
import type {
  CreateLoadBalancer,
  HealthMonitorInput,
  ListenerInput,
  LoggingInput,
  MemberInput,
  PoolInput,
} from './schema-input.ts';

/** The rows of a load balancer that is about to be created, every default filled in. */
export interface Plan {
  readonly loadBalancer: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly listeners: readonly Row[];
  readonly pools: readonly Row[];
  readonly members: readonly Row[];
  readonly monitors: readonly Row[];
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

export interface PlanScope {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly taskId: string;
  readonly clientId: number;
  readonly projectId: number;
  readonly regionId: number;
}

export function planLoadBalancer(input: CreateLoadBalancer, tags: StoredTags, scope: PlanScope): Plan {
  const id = scope.ids.uuid();
  const logging = storedLogging(input.logging, id, scope.regionId);
  const parts = new Parts(scope);
  const loadBalancer = {
    id,
    project_id: scope.projectId,
    region_id: scope.regionId,
    client_id: scope.clientId,
    name: input.name,
    flavor: storedFlavor(input.flavor),
    preferred_connectivity: input.preferred_connectivity ?? 'L2',
    vip_port_id: scope.ids.uuid(),
    tags,
    logging,
    logging_enabled: logging?.enabled ?? false,
    task_id: scope.taskId,
    created_at: scope.clock.timestamp(),
  };
  for (const listener of input.listeners ?? []) parts.addListener(listener);
  const { listeners, pools, members, monitors } = parts;
  return { loadBalancer, listeners, pools, members, monitors };
}

/** What is kept of logging: where the topic has no name, it is called after the load balancer. */
export function storedLogging(input: LoggingInput | undefined, id: string, regionId: number): Logging | null {
  if (input === undefined) return null;
  const enabled = input.enabled ?? false;
  return {
    enabled,
    destination_region_id: input.destination_region_id ?? (enabled ? regionId : null),
    topic_name: input.topic_name ?? (enabled ? `loadbalancer-${id}` : null),
    retention_policy: input.retention_policy ?? null,
  };
}

class Parts {
  readonly listeners: Row[] = [];
  readonly pools: Row[] = [];
  readonly members: Row[] = [];
  readonly monitors: Row[] = [];
  readonly #scope: PlanScope;

  constructor(scope: PlanScope) {
    this.#scope = scope;
  }

  /** A timestamp of its own for each part keeps them in the order of the body. */
  #new() {
    return { id: this.#scope.ids.uuid(), created_at: this.#scope.clock.timestamp() };
  }

  addListener(listener: ListenerInput): void {
    const [pool] = listener.pools ?? [];
    this.listeners.push({
      ...this.#new(),
      default_pool_id: pool ? this.#addPool(pool) : null,
      name: listener.name,
      protocol: listener.protocol,
      protocol_port: listener.protocol_port,
      allowed_cidrs: listener.allowed_cidrs ?? null,
      connection_limit: listener.connection_limit ?? 100_000,
      insert_x_forwarded: listener.insert_x_forwarded ?? false,
      user_list: listener.user_list ?? [],
      secret_id: listener.secret_id || null,
      sni_secret_ids: listener.sni_secret_id ?? [],
      ...timeouts(listener),
    });
  }

  #addPool(pool: PoolInput): string {
    const row = {
      ...this.#new(),
      name: pool.name,
      protocol: pool.protocol,
      lb_algorithm: pool.lb_algorithm,
      session_persistence: persistenceOf(pool),
      secret_id: pool.secret_id ?? null,
      ca_secret_id: pool.ca_secret_id ?? null,
      crl_secret_id: pool.crl_secret_id ?? null,
      ...timeouts(pool),
    };
    this.pools.push(row);
    for (const member of pool.members ?? []) this.#addMember(row.id, member);
    if (pool.healthmonitor) this.#addMonitor(row.id, pool.healthmonitor);
    return row.id;
  }

  #addMember(poolId: string, member: MemberInput): void {
    this.members.push({
      ...this.#new(),
      pool_id: poolId,
      address: member.address,
      protocol_port: member.protocol_port,
      weight: member.weight ?? 1,
      backup: member.backup ?? false,
      admin_state_up: member.admin_state_up ?? true,
      instance_id: member.instance_id ?? null,
      subnet_id: member.subnet_id ?? null,
      monitor_address: member.monitor_address ?? null,
      monitor_port: member.monitor_port ?? null,
    });
  }

  #addMonitor(poolId: string, monitor: HealthMonitorInput): void {
    const http = monitor.type === 'HTTP' || monitor.type === 'HTTPS';
    this.monitors.push({
      ...this.#new(),
      pool_id: poolId,
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
    });
  }
}

function timeouts(from: PoolInput | ListenerInput) {
  return {
    timeout_client_data: from.timeout_client_data ?? null,
    timeout_member_connect: from.timeout_member_connect ?? null,
    timeout_member_data: from.timeout_member_data ?? null,
  };
}

function persistenceOf(pool: PoolInput): SessionPersistence | null {
  const given = pool.session_persistence;
  if (!given) return null;
  return {
    type: given.type,
    cookie_name: given.cookie_name ?? null,
    persistence_timeout: given.persistence_timeout ?? null,
    persistence_granularity: given.persistence_granularity ?? null,
  };
}
