import type { Operation, Progress } from '../../../kernel/operation.ts';

/** What a region's provider must be able to do for floating IPs. What they lead to is the business of what
 *  carries them: a load balancer serves its floating IP beside its virtual address. */
export interface FloatingIpProvider {
  /** A free public address for this floating IP, one that this provider can bind; the caller stores it before
   *  it is used. `inUse` are addresses that the region has given away already, or at least those that this
   *  provider proposed and that turned out to be in use. */
  allocateFloatingAddress(inUse: ReadonlySet<string>, id: string): Promise<string>;
  /** How far a change of a floating IP that nothing carries has come; a change that needs no work is ready. */
  changeAddress(operation: Operation): Promise<Progress>;
}
