import type { ListenerStats } from '../../features/load-balancers/port.ts';
import type { KeptCounters } from './marks.ts';
import type { Stats } from './octavia.ts';

/** Counters only ever grow, though a cloud counts anew when it replaces what carries the traffic. */

/** What is kept after a look.
 *  @param kept absent: nothing was counted yet */
export function grown(kept: KeptCounters | undefined, engineId: string, stats: Stats): KeptCounters {
  const now = [stats.bytes_in, stats.bytes_out, stats.request_errors, stats.total_connections];
  if (!kept) return { engineId, before: now.map(() => 0), now };
  const isAnew = kept.engineId !== engineId || now.some((each, index) => each < (kept.now[index] ?? 0));
  const before = isAnew ? kept.before.map((each, index) => each + (kept.now[index] ?? 0)) : kept.before;
  return { engineId, before, now };
}

export function statsOf(kept: KeptCounters, activeConnections: number): ListenerStats {
  const [bytesIn = 0, bytesOut = 0, requestErrors = 0, totalConnections = 0] = kept.now.map(
    (each, index) => each + (kept.before[index] ?? 0),
  );
  return { activeConnections, bytesIn, bytesOut, requestErrors, totalConnections };
}
