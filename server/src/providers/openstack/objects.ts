import type {
  DesiredHealthMonitor,
  DesiredL7Policy,
  DesiredL7Rule,
  DesiredListener,
  DesiredMember,
  DesiredPool,
} from '../../features/load-balancers/port.ts';
import { parseRange, rangeContains } from '../../kernel/ip.ts';
import { markOf } from './marks.ts';
import type { LoadBalancerSettings } from './settings.ts';
import { type SecretRefs, tlsOfListener, tlsOfPool } from './tls.ts';

/** Parts of load balancers in the words of Octavia: what a creation says, and what can be changed later. */

export type Fields = Readonly<Record<string, unknown>>;

/** The cloud's ids of subnets, by those here. */
export type EngineSubnets = ReadonlyMap<string, string>;

export interface DesiredObject {
  /** The id here. */
  readonly id: string;
  /** What cannot be changed: something else in one of these is another object. */
  readonly fixed: Fields;
  readonly changeable: Fields;
}

/** Octavia's defaults, said aloud: what is not said stays as it was. */
const TIMEOUTS = { clientData: 50_000, memberConnect: 5_000, memberData: 50_000 };
const FORWARDED = { 'X-Forwarded-For': 'true', 'X-Forwarded-Port': 'true', 'X-Forwarded-Proto': 'true' };

export function objectOfListener(
  listener: DesiredListener,
  poolId: string | null,
  refs?: SecretRefs,
): DesiredObject {
  const { timeoutsMs: ms, allowedCidrs } = listener;
  const counts = !['UDP', 'PROMETHEUS'].includes(listener.protocol);
  return {
    id: listener.id,
    fixed: { protocol: listener.protocol, protocol_port: listener.port },
    changeable: {
      admin_state_up: listener.adminStateUp,
      connection_limit: listener.connectionLimit,
      default_pool_id: poolId,
      insert_headers: listener.insertXForwarded ? FORWARDED : {},
      allowed_cidrs: allowedCidrs && allowedCidrs.length > 0 ? [...allowedCidrs].sort() : null,
      ...(counts
        ? {
            timeout_client_data: ms.clientData ?? TIMEOUTS.clientData,
            timeout_member_connect: ms.memberConnect ?? TIMEOUTS.memberConnect,
            timeout_member_data: ms.memberData ?? TIMEOUTS.memberData,
          }
        : {}),
      ...tlsOfListener(listener, refs),
    },
  };
}

export function objectOfPool(pool: DesiredPool, refs?: SecretRefs): DesiredObject {
  const persistence = pool.sessionPersistence && {
    type: pool.sessionPersistence.type,
    cookie_name: pool.sessionPersistence.cookieName,
    persistence_timeout: pool.sessionPersistence.persistenceTimeout,
    persistence_granularity: pool.sessionPersistence.persistenceGranularity,
  };
  return {
    id: pool.id,
    fixed: { protocol: pool.protocol },
    changeable: {
      admin_state_up: pool.adminStateUp,
      lb_algorithm: pool.algorithm,
      session_persistence: persistence,
      ...tlsOfPool(pool, refs),
    },
  };
}

/** A member is its address and port; its mark says which it is here. */
export function objectOfMember(
  member: DesiredMember,
  pool: DesiredPool,
  settings: LoadBalancerSettings | undefined,
  subnets: EngineSubnets,
): Fields {
  return {
    address: member.address,
    protocol_port: member.port,
    subnet_id: subnets.get(member.subnetId ?? '') ?? subnetOf(member.address, settings),
    admin_state_up: member.adminStateUp,
    backup: member.backup,
    weight: member.weight,
    monitor_address: pool.healthMonitor ? member.monitorAddress : null,
    monitor_port: pool.healthMonitor ? member.monitorPort : null,
    tags: [markOf(member.id)],
  };
}

/** null: the one of the virtual address, or wherever a router leads to. */
function subnetOf(address: string, settings: LoadBalancerSettings | undefined): string | null {
  const found = settings?.member_subnets?.find(({ cidr }) => {
    const range = parseRange(cidr);
    return range !== undefined && rangeContains(range, address);
  });
  return found?.subnet_id ?? null;
}

export function objectOfMonitor(monitor: DesiredHealthMonitor): DesiredObject {
  const isHttp = monitor.type === 'HTTP' || monitor.type === 'HTTPS';
  return {
    id: monitor.id,
    fixed: { type: monitor.type },
    changeable: {
      admin_state_up: monitor.adminStateUp,
      delay: monitor.delay,
      timeout: monitor.timeout,
      max_retries: monitor.maxRetries,
      max_retries_down: monitor.maxRetriesDown,
      ...(isHttp
        ? {
            http_method: monitor.httpMethod ?? 'GET',
            url_path: monitor.urlPath ?? '/',
            expected_codes: monitor.expectedCodes ?? '200',
            http_version: monitor.httpVersion === null ? null : Number(monitor.httpVersion),
            domain_name: monitor.domainName,
          }
        : {}),
    },
  };
}

export function objectOfPolicy(
  policy: DesiredL7Policy,
  position: number,
  poolId: string | null,
): DesiredObject {
  return {
    id: policy.id,
    fixed: {},
    changeable: {
      admin_state_up: true,
      action: policy.action,
      position,
      redirect_url: policy.redirectUrl,
      redirect_prefix: policy.redirectPrefix,
      redirect_pool_id: poolId,
      redirect_http_code: policy.redirectHttpCode,
    },
  };
}

export function objectOfRule(rule: DesiredL7Rule): DesiredObject {
  return {
    id: rule.id,
    fixed: {},
    changeable: {
      admin_state_up: true,
      type: rule.type,
      compare_type: rule.compareType,
      key: rule.key,
      value: rule.value,
      invert: rule.invert,
    },
  };
}
