import type { Resource } from '../../kernel/capacity.ts';

/** How much there is of something: MiB of disk and memory, else pieces. */
export interface Capacity {
  readonly resource: Resource;
  readonly used: number;
  readonly total: number;
  /** With this much free or less, somebody should look. */
  readonly warnFree: number;
  /** With this much free or less, nothing is created that needs it. */
  readonly stopFree: number;
}

/** What a provider says of the machine that a region is on. */
export interface CapacityProvider {
  /** @param inUse addresses that the region has given away */
  observeCapacity(inUse: ReadonlySet<string>): Promise<readonly Capacity[]>;
}
