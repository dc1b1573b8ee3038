import type {
  DesiredListener,
  DesiredLoadBalancer,
  DesiredPool,
  LbAlgorithm,
} from '../../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { network, type SourceBits, sourceBits, WHOLE_SOURCE } from '../config/addresses.ts';
import { DEFAULT_CLIENT_TIMEOUT_MS } from '../config/frontends.ts';
import { addressesOf, flavorConnections, type RenderedBind } from '../config/rendering.ts';

/** What nginx carries for a load balancer, without secrets: it is kept beside the process. */
export interface UdpPlan {
  /** Sessions that the flavor allows at one time, over all listeners. */
  readonly sessions: number;
  readonly listeners: readonly UdpListener[];
  readonly pools: readonly UdpPool[];
}

export const NO_UDP: UdpPlan = { sessions: 0, listeners: [], pools: [] };

export interface UdpListener {
  readonly id: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly poolId: string | null;
  readonly allowed: readonly string[] | null;
  readonly sessionLimit: number;
  /** A session ends after this much silence. */
  readonly idleMs: number;
}

export interface UdpPool {
  readonly id: string;
  readonly algorithm: LbAlgorithm;
  /** Clients with the same address, as far as this many bits, stay with one member; null: they need not. */
  readonly sourceBits: SourceBits | null;
  readonly members: readonly UdpMember[];
}

export interface UdpMember {
  readonly id: string;
  readonly address: string;
  readonly port: number;
  readonly weight: number;
  readonly backup: boolean;
  readonly enabled: boolean;
  readonly watched: boolean;
}

/** The UDP part of a load balancer.
 *  @throws TaskFailed for what UDP cannot do */
export function udpPlan(desired: DesiredLoadBalancer): UdpPlan {
  const listeners = desired.adminStateUp
    ? desired.listeners.filter(({ adminStateUp, protocol }) => adminStateUp && protocol === 'UDP')
    : [];
  return {
    sessions: flavorConnections(desired.flavor),
    listeners: listeners.map((listener) => udpListener(desired, listener)),
    pools: desired.adminStateUp
      ? desired.pools.filter(({ protocol }) => protocol === 'UDP').map(udpPool)
      : [],
  };
}

export function udpBinds(plan: UdpPlan): RenderedBind[] {
  return plan.listeners.flatMap(({ id, addresses, port }) =>
    addresses.map((address) => ({ listenerId: id, address, port, transport: 'udp' as const })),
  );
}

function udpListener(desired: DesiredLoadBalancer, listener: DesiredListener): UdpListener {
  const pool = desired.pools.find(({ id }) => id === listener.defaultPoolId);
  if (pool && pool.protocol !== 'UDP') {
    throw new TaskFailed(`Listener ${listener.id} (UDP) cannot use pool ${pool.id} (${pool.protocol})`);
  }
  const idle = pool?.timeoutsMs.memberData ?? listener.timeoutsMs.clientData ?? DEFAULT_CLIENT_TIMEOUT_MS;
  return {
    id: listener.id,
    addresses: addressesOf(desired),
    port: listener.port,
    poolId: pool?.id ?? null,
    allowed: listener.allowedCidrs?.length ? listener.allowedCidrs.map(network) : null,
    sessionLimit: listener.connectionLimit,
    idleMs: idle > 0 ? Math.min(idle, 2_000_000_000) : 2_000_000_000,
  };
}

function udpPool(pool: DesiredPool): UdpPool {
  const persistence = pool.sessionPersistence;
  if (persistence && persistence.type !== 'SOURCE_IP') {
    throw new TaskFailed(`Pool ${pool.id} (UDP) has no cookies; its session persistence can be SOURCE_IP`);
  }
  const granularity = persistence?.persistenceGranularity;
  const bySource = persistence !== null || pool.algorithm === 'SOURCE_IP';
  return {
    id: pool.id,
    algorithm: pool.algorithm,
    sourceBits: bySource ? (granularity ? sourceBits(granularity) : WHOLE_SOURCE) : null,
    members: pool.adminStateUp
      ? pool.members.map((member) => ({
          id: member.id,
          address: member.address,
          port: member.port,
          weight: member.weight,
          backup: member.backup,
          enabled: member.adminStateUp,
          watched: pool.healthMonitor?.adminStateUp ?? false,
        }))
      : [],
  };
}
