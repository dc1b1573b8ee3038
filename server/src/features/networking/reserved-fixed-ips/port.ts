import type { Operation, Progress } from '../../../kernel/operation.ts';

/** What a region's provider must be able to do for reserved addresses: a part of what it does for load balancers,
 *  which are to have them. */
export interface ReservedIpProvider {
  /** A free address, from the subnet if one is given; the caller stores it. */
  allocateAddress(
    inUse: ReadonlySet<string>,
    id: string,
    within?: { readonly cidr: string; readonly gateway: string | null; readonly external?: boolean },
  ): Promise<string>;
  /** Why load balancers cannot have addresses of this subnet: then any free one will do. */
  subnetFault?(cidr: string): string | null;
  /** True when two networks may use the same addresses without getting into each other's way. */
  readonly separateNetworks?: boolean;
  /** How far a change of an address that nothing carries has come. */
  changeAddress(operation: Operation): Promise<Progress>;
}
