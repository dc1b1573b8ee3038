import type { DesiredLoadBalancer } from '../../../../features/load-balancers/port.ts';
import { probedMonitor } from '../config/monitors.ts';

/** One member that this server watches itself, because HAProxy has no check of that kind. */
export interface ProbeTarget {
  readonly memberId: string;
  readonly poolId: string;
  readonly type: 'PING' | 'UDP-CONNECT';
  readonly address: string;
  readonly port: number;
  readonly delayMs: number;
  readonly timeoutMs: number;
  readonly rise: number;
  readonly fall: number;
}

/** What is to be probed for this load balancer. */
export function probeTargets(desired: DesiredLoadBalancer): ProbeTarget[] {
  if (!desired.adminStateUp) return [];
  return desired.pools.flatMap((pool) => {
    const monitor = pool.adminStateUp ? probedMonitor(pool) : null;
    if (!monitor) return [];
    const delayMs = Math.min(Math.max(monitor.delay, 1), 2_000_000) * 1000;
    return pool.members
      .filter((member) => member.adminStateUp)
      .map((member) => ({
        memberId: member.id,
        poolId: pool.id,
        type: monitor.type === 'PING' ? ('PING' as const) : ('UDP-CONNECT' as const),
        address: member.monitorAddress ?? member.address,
        port: member.monitorPort ?? member.port,
        delayMs,
        timeoutMs: Math.min(monitor.timeout > 0 ? monitor.timeout * 1000 : delayMs, delayMs),
        rise: monitor.maxRetries,
        fall: monitor.maxRetriesDown,
      }));
  });
}
