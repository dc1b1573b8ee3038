import {
  type LoadBalancerTree,
  type MemberRow,
  type OperatingStatus,
  type PoolRow,
  withoutDeleted,
} from './model.ts';
import type { PartStatus } from './parts/store.ts';
import type { LastCheck, MemberHealth, ObservedLoadBalancer } from './port.ts';

/** Operating status from what the data plane says, rolled up from members to the load balancer. */
export interface Health {
  readonly status: OperatingStatus;
  readonly parts: readonly PartStatus[];
}

/** `observed` is undefined when the data plane does not run: then every enabled listener is in ERROR. */
export function healthOf(all: LoadBalancerTree, observed: ObservedLoadBalancer | undefined): Health {
  const tree = withoutDeleted(all);
  const parts: PartStatus[] = [];
  const poolStatuses: OperatingStatus[] = [];
  for (const pool of tree.pools) {
    const members = memberStatuses(tree, pool, observed);
    const status = tree.admin_state_up ? poolStatus(pool, members) : 'OFFLINE';
    poolStatuses.push(status);
    parts.push({ kind: 'pool', id: pool.id, status });
    for (const [id, member] of members) {
      parts.push({ kind: 'member', id, status: member, lastCheck: lastCheck(tree, pool, id, observed) });
    }
  }
  for (const monitor of tree.monitors) {
    const on = tree.admin_state_up && monitor.admin_state_up;
    parts.push({ kind: 'monitor', id: monitor.id, status: on ? 'ONLINE' : 'OFFLINE' });
  }
  const needed = tree.admin_state_up && tree.listeners.some((listener) => listener.admin_state_up);
  const dead = needed && observed === undefined;
  for (const listener of tree.listeners) {
    const on = tree.admin_state_up && listener.admin_state_up;
    parts.push({ kind: 'listener', id: listener.id, status: on ? (dead ? 'ERROR' : 'ONLINE') : 'OFFLINE' });
  }
  parts.push(...policyStatuses(tree, parts));
  const status = !tree.admin_state_up ? 'OFFLINE' : dead ? 'ERROR' : loadBalancerStatus(poolStatuses);
  return { status, parts };
}

/** L7 policies and their rules are as the listener is that they belong to. */
function policyStatuses(tree: LoadBalancerTree, parts: readonly PartStatus[]): PartStatus[] {
  if (tree.policies.length === 0) return [];
  const known = new Map(parts.map(({ id, status }) => [id, status]));
  return tree.policies.flatMap(({ id, listener_id }): PartStatus[] => {
    const status = known.get(listener_id) ?? 'OFFLINE';
    const rules = tree.rules.filter(({ policy_id }) => policy_id === id);
    return [
      { kind: 'policy', id, status },
      ...rules.map((rule): PartStatus => ({ kind: 'rule', id: rule.id, status })),
    ];
  });
}

function memberStatuses(
  tree: LoadBalancerTree,
  pool: PoolRow,
  observed: ObservedLoadBalancer | undefined,
): [string, OperatingStatus][] {
  const monitored = isMonitored(tree, pool);
  const off = !tree.admin_state_up || !pool.admin_state_up;
  return tree.members
    .filter(({ pool_id }) => pool_id === pool.id)
    .map((member) => [
      member.id,
      off ? 'OFFLINE' : memberStatus(member, monitored, observed?.members.get(member.id)),
    ]);
}

const isMonitored = ({ monitors }: LoadBalancerTree, pool: PoolRow) =>
  monitors.some(({ pool_id, admin_state_up }) => pool_id === pool.id && admin_state_up);

/** What the health monitor last found out about a member, where it checks it. */
function lastCheck(
  tree: LoadBalancerTree,
  pool: PoolRow,
  memberId: string,
  observed: ObservedLoadBalancer | undefined,
): LastCheck | null {
  const on = tree.members.some(({ id, admin_state_up }) => id === memberId && admin_state_up);
  if (!on || !tree.admin_state_up || !pool.admin_state_up || !isMonitored(tree, pool)) return null;
  const instead = observed?.insteadOfChecks;
  return instead === undefined
    ? (observed?.lastChecks.get(memberId) ?? null)
    : { reason: instead, since: null };
}

/** A checked member of which nothing is known yet counts as alive, as it does to the data plane. */
function memberStatus(
  member: MemberRow,
  monitored: boolean,
  seen: MemberHealth | undefined,
): OperatingStatus {
  if (!member.admin_state_up) return 'OFFLINE';
  if (member.weight === 0) return 'DRAINING';
  if (!monitored) return 'NO_MONITOR';
  return seen ?? 'ONLINE';
}

function poolStatus(
  pool: PoolRow,
  members: readonly (readonly [string, OperatingStatus])[],
): OperatingStatus {
  if (!pool.admin_state_up) return 'OFFLINE';
  if (members.length === 0) return 'ONLINE';
  const enabled = members.map(([, status]) => status).filter((status) => status !== 'OFFLINE');
  if (enabled.length === 0) return 'OFFLINE';
  const serving = enabled.filter((status) => status !== 'DRAINING');
  if (serving.length === 0) return 'DRAINING';
  const dead = serving.filter((status) => status === 'ERROR').length;
  if (dead === serving.length) return 'ERROR';
  if (dead > 0) return 'DEGRADED';
  return serving.every((status) => status === 'NO_MONITOR') ? 'NO_MONITOR' : 'ONLINE';
}

/** The worst of its pools; pools that are off do not count. */
function loadBalancerStatus(pools: readonly OperatingStatus[]): OperatingStatus {
  const counting = pools.filter((status) => status !== 'OFFLINE');
  if (counting.includes('ERROR')) return 'ERROR';
  if (counting.includes('DEGRADED')) return 'DEGRADED';
  if (counting.length > 0 && counting.every((status) => status === 'DRAINING')) return 'DRAINING';
  if (counting.length > 0 && counting.every((status) => status === 'NO_MONITOR')) return 'NO_MONITOR';
  return 'ONLINE';
}
