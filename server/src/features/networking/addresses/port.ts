import type { Operation, Progress } from '../../../kernel/operation.ts';

/** The IPv6 prefix that the own networks of all regions lie in; its 40 bits spell "virga". */
export const OWN_PREFIX = 'fd76:6972:6761::/48';

/** What a region's provider must be able to do for addresses: those of load balancers, floating IPs and reserved
 *  fixed IPs. Every call may be repeated at any time. */
export interface AddressProvider {
  /** True when an address follows from the id alone and costs nothing: then a request may already ask for one. */
  readonly computed?: boolean;
  /** A free address for the port with this id, from the subnet if one is given, else an IPv4 one of the region's
   *  own; one that this provider can bind. The caller stores it before it is used. Networks that have their addresses
   *  to themselves do not ask. `inUse` are the addresses that the region has already given away; where they are
   *  `computed`, only those that it proposed and that turned out to be in use.
   *  @throws TaskFailed when there is none left */
  allocateAddress(inUse: ReadonlySet<string>, id: string, within?: AddressSource): Promise<string>;
  /** The address that was allocated is stored, so that it is among those in use as long as it is. */
  stored?(address: string): void;
  /** The same for a floating IP: a public address, which a load balancer can serve beside its own. */
  allocateFloatingAddress(inUse: ReadonlySet<string>, id: string): Promise<string>;
  /** Forgets what it gave the port or floating IP with this id, which is deleted. Absent: it keeps nothing of what it
   *  gives. */
  releaseAddress?(id: string): Promise<void>;
  /** Why load balancers cannot have addresses of this subnet, for the user to read, or null: they can. Absent:
   *  they can have any. */
  subnetFault?(cidr: string): string | null;
  /** Why load balancers cannot have IPv6 addresses of this subnet here and now, for the user to read, or null: they
   *  can. Absent: they can. */
  ipv6Fault?(cidr: string): Promise<string | null>;
  /** Why load balancers cannot have an address of each IP version, for the user to read. Absent or null: they can. */
  readonly dualFault?: string | null;
  /** True when two networks may use the same addresses without getting into each other's way. */
  readonly separateNetworks?: boolean;
  /** True when its addresses must be asked for in separate networks, too: somebody else may give them as well. */
  readonly givesAll?: boolean;
  /** True where the address of a router outside is known only when the router is there. */
  readonly choosesGateways?: true;
  /** Why floating IPs and reserved fixed IPs cannot become each other, for the user to read. Absent: they can. */
  readonly conversionFault?: string;
  /** How far a change of an address that no load balancer carries has come; what needs no work is ready. */
  changeAddress(operation: Operation): Promise<Progress>;
}

/** A subnet to allocate addresses from, but for its gateway's. */
export interface AddressSource {
  readonly subnetId?: string;
  readonly networkId?: string;
  readonly cidr: string;
  readonly gateway: string | null;
  /** True: it is the region's own, and any free address of it will do. Else they are allocated in order. */
  readonly external?: boolean;
}
