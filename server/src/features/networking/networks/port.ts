import type { Operation, Progress } from '../../../kernel/operation.ts';
import { type SeriesWindow, timesIn } from '../../../kernel/series.ts';
import type { Applied as AppliedOfAny, Drift as DriftOf, Looks } from '../../../platform/drift/reconciler.ts';
import type { HostRoute, NetworkType } from './model.ts';

/** What a region's provider must be able to do for networks and what is in them.
 *
 *  Declarative: `apply` converges to the desired state, `remove` forgets. Every call may be repeated at any time, also
 *  after a crash half-way through. */
export interface NetworkProvider extends Looks<DesiredNoun, NounKind> {
  /** True where all networks are within this host, so that subnets may lie in its loopback network. */
  readonly onLoopback?: true;
  /** The types that a network can have; absent: all. */
  readonly types?: readonly NetworkType[];
  /** True where routers translate addresses of whatever leaves a region, and cannot be told not to. */
  readonly alwaysSnat?: true;
  /** Why `enable_dhcp` of a subnet of IPv6 cannot be changed, for the user to read. Absent: it can. */
  readonly ipv6DhcpFault?: string;
  /** Makes it what is desired.
   *  @throws TaskFailed when that cannot be done */
  apply(desired: DesiredNoun, operation: Operation): Promise<Applied>;
  /** Removes what carries the id; what is not there is removed: ready.
   *  @throws TaskFailed when that cannot be done */
  remove(noun: Noun, operation: Operation): Promise<Progress>;
  /** What each port of a router has carried, on average, in each step of the window that the router has lived through;
   *  oldest first. A port that is not named has no points. */
  readTraffic(
    router: ObservedRouter,
    window: SeriesWindow,
  ): Promise<ReadonlyMap<string, readonly PortTraffic[]>>;
}

export type NounKind = 'network' | 'subnet' | 'router' | 'port' | 'floating_ip' | 'security_group';

export interface Noun {
  readonly kind: NounKind;
  readonly id: string;
}

export type DesiredNoun = DesiredNetwork | DesiredSubnet | DesiredRouter | DesiredPort | DesiredFloatingIp;

export interface DesiredNetwork {
  readonly kind: 'network';
  readonly id: string;
}

export interface DesiredSubnet {
  readonly kind: 'subnet';
  readonly id: string;
  readonly networkId: string;
  readonly cidr: string;
  readonly gateway: string | null;
  readonly enableDhcp: boolean;
  readonly nameServers: readonly string[];
  readonly hostRoutes: readonly HostRoute[];
}

export interface DesiredRouter {
  readonly kind: 'router';
  readonly id: string;
  /** Whether it leads out of the region's networks. */
  readonly hasGateway: boolean;
  readonly routes: readonly HostRoute[];
  readonly interfaces: readonly DesiredInterface[];
}

export interface DesiredInterface {
  readonly portId: string;
  readonly networkId: string;
  readonly subnetId: string;
  readonly address: string;
}

/** A port that belongs to nobody else: one that is reserved. */
export interface DesiredPort {
  readonly kind: 'port';
  readonly id: string;
  readonly networkId: string;
  readonly macAddress: string;
  /** Something else has it, which says what may pass it. */
  readonly isManaged: boolean;
  readonly addresses: readonly { readonly address: string; readonly subnetId: string }[];
  readonly securityEnabled: boolean;
  readonly securityGroupIds: readonly string[];
  /** Addresses and networks that it may use beside its own. */
  readonly allowedAddresses: readonly string[];
}

export interface DesiredFloatingIp {
  readonly kind: 'floating_ip';
  readonly id: string;
  /** null: it has none yet. */
  readonly address: string | null;
  /** null: it leads nowhere, `load balancer`: that is the business of whom it leads to. */
  readonly leadsTo: { readonly portId: string; readonly address: string | null } | 'load balancer' | null;
}

/** What is known only once it is there. */
export type Applied = AppliedOfAny & {
  /** The address of a router in the region's own network. */
  readonly gateway?: string | null;
  /** Bytes that a packet of a network may have. */
  readonly mtu?: number;
};

export type Drift = DriftOf<NounKind>;

export interface ObservedRouter {
  readonly id: string;
  readonly since: Date;
  readonly portIds: readonly string[];
}

/** Bits and packets a second, in: towards the router; null: not measured. */
export interface PortTraffic {
  /** The end of the step. */
  readonly at: Date;
  readonly bitsIn: number | null;
  readonly bitsOut: number | null;
  readonly packetsIn: number | null;
  readonly packetsOut: number | null;
}

/** The traffic of a router through which nothing goes. */
export function noTraffic({ since, portIds }: ObservedRouter, window: SeriesWindow) {
  const points = timesIn(window, since).map((at) => ({
    at,
    bitsIn: 0,
    bitsOut: 0,
    packetsIn: 0,
    packetsOut: 0,
  }));
  return new Map(portIds.map((id) => [id, points]));
}
