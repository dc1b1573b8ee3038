import { createHash } from 'node:crypto';
import type { DesiredLoadBalancer } from '../../../features/load-balancers/port.ts';
import type { ProcessIdentity } from '../../../kernel/processes.ts';
import { addressesOf, type RenderedBackend, type RenderedBind, type Rendering } from './config/rendering.ts';
import { type ProbeTarget, probeTargets } from './probes/targets.ts';
import { NO_UDP, type UdpPlan, udpPlan } from './udp/plan.ts';

/** What is known of a load balancer's data plane across restarts of the server. No secrets: contents
 *  of files are here as digests only. */
export interface SavedState {
  readonly id: string;
  readonly version: number;
  /** A change has begun and not ended: what the process serves is unknown, only a reload makes it sure. */
  readonly changing: boolean;
  readonly process: ProcessIdentity | null;
  /** Predecessors that finish what they have begun. */
  readonly draining: readonly ProcessIdentity[];
  readonly skeleton: string;
  readonly backends: readonly RenderedBackend[];
  /** Path → digest of certificate and other files. */
  readonly files: Readonly<Record<string, string>>;
  readonly binds: readonly RenderedBind[];
  readonly addresses: readonly string[];
  readonly needed: boolean;
  readonly listenerIds: readonly string[];
  /** Members of pools that are off, or that nothing checks or carries here. */
  readonly idleMembers: readonly string[];
  readonly udp: UdpPlan;
  readonly probes: readonly ProbeTarget[];
  readonly logging: boolean;
  /** Days that lines of the access log are kept; null: as long as there is room. */
  readonly logRetentionDays: number | null;
  /** Key of the last failover that was carried out; the same one is not done twice. */
  readonly failover: string | null;
}

export function emptyState(id: string): SavedState {
  return {
    id,
    version: 0,
    changing: false,
    process: null,
    draining: [],
    skeleton: '',
    backends: [],
    files: {},
    binds: [],
    addresses: [],
    needed: false,
    listenerIds: [],
    idleMembers: [],
    udp: NO_UDP,
    probes: [],
    logging: false,
    logRetentionDays: null,
    failover: null,
  };
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function fileDigests(rendering: Rendering): Record<string, string> {
  return Object.fromEntries(rendering.files.map(({ path, content }) => [path, digest(content)]));
}

/** The state once `rendering` is served. */
export function stateAfter(
  before: SavedState,
  desired: DesiredLoadBalancer,
  rendering: Rendering,
  failover: string | null,
): SavedState {
  const udp = udpPlan(desired);
  const served = new Set([
    ...rendering.backends.flatMap(({ servers }) => servers.map(({ memberId }) => memberId)),
    ...udp.pools.flatMap(({ members }) => members.map(({ id }) => id)),
  ]);
  const members = desired.pools.flatMap((pool) => pool.members.map(({ id }) => id));
  return {
    ...before,
    id: desired.id,
    version: desired.version,
    changing: false,
    skeleton: digest(rendering.skeleton),
    backends: rendering.backends,
    files: fileDigests(rendering),
    binds: rendering.binds,
    addresses: addressesOf(desired),
    needed: rendering.needed,
    listenerIds: desired.listeners.map(({ id }) => id),
    idleMembers: members.filter((id) => !served.has(id)),
    udp,
    probes: probeTargets(desired),
    logging: desired.accessLog !== null,
    logRetentionDays: desired.accessLog?.retentionDays ?? null,
    failover: failover ?? before.failover,
  };
}
