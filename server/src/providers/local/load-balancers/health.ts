import type { MemberHealth } from '../../../features/load-balancers/port.ts';
import type { RenderedBackend, RenderedServer } from './config/rendering.ts';
import type { StatLine } from './show-stat.ts';
import type { UdpPlan } from './udp/plan.ts';

/** Which of two verdicts on one member says more, from a pool that is used in two modes. */
const WORST_FIRST: readonly MemberHealth[] = ['ERROR', 'DRAINING', 'ONLINE', 'NO_MONITOR', 'OFFLINE'];

/** What HAProxy says of one member. */
export interface MemberSeen {
  readonly health: MemberHealth;
  /** HAProxy checks it. */
  readonly checked: boolean;
  readonly line: StatLine | undefined;
}

/** Member id → its health and why, from what HAProxy says of each server. */
export function membersSeen(
  backends: readonly RenderedBackend[],
  lines: readonly StatLine[],
): Map<string, MemberSeen> {
  const byName = new Map(lines.map((line) => [`${line.proxy}/${line.service}`, line]));
  const members = new Map<string, MemberSeen>();
  for (const backend of backends) {
    for (const server of backend.servers) {
      const line = byName.get(`${backend.name}/${server.name}`);
      const health = healthOf(server, line?.status ?? '');
      const other = members.get(server.memberId);
      if (other && !isWorse(health, other.health)) continue;
      members.set(server.memberId, { health, checked: server.checked, line });
    }
  }
  return members;
}

/** Member id → its health, for members that only nginx sends traffic to.
 *  @param down members that do not answer probes */
export function udpHealth(plan: UdpPlan, down: ReadonlySet<string>): Map<string, MemberHealth> {
  const health = new Map<string, MemberHealth>();
  for (const { id, enabled, weight, watched } of plan.pools.flatMap(({ members }) => members)) {
    if (!enabled) health.set(id, 'OFFLINE');
    else if (down.has(id)) health.set(id, 'ERROR');
    else if (weight === 0) health.set(id, 'DRAINING');
    else health.set(id, watched ? 'ONLINE' : 'NO_MONITOR');
  }
  return health;
}

function healthOf(server: RenderedServer, status: string): MemberHealth {
  if (!server.enabled || status.startsWith('MAINT')) return 'OFFLINE';
  if (status.startsWith('DOWN') || status.startsWith('NOLB')) return 'ERROR';
  if (server.weight === 0 || status.startsWith('DRAIN')) return 'DRAINING';
  return server.checked || server.probed ? 'ONLINE' : 'NO_MONITOR';
}

function isWorse(left: MemberHealth, right: MemberHealth): boolean {
  return WORST_FIRST.indexOf(left) < WORST_FIRST.indexOf(right);
}
