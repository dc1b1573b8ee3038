import type { Operation, Progress } from '../../../kernel/operation.ts';

/** What a region's provider must be able to do for networks and subnets. */
export interface NetworkProvider {
  /** How far the creation or deletion of a network or subnet has come.
   *  @throws TaskFailed when it cannot be done */
  changeNetwork(operation: Operation): Promise<Progress>;
}
