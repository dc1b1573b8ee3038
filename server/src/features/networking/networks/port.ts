import type { Operation, Progress } from '../../../kernel/operation.ts';
import { type SeriesWindow, timesIn } from '../../../kernel/series.ts';

/** What a region's provider must be able to do for networks and subnets. */
export interface NetworkProvider {
  /** True where all networks are within this machine, so that subnets may lie in its loopback network. */
  readonly onLoopback?: true;
  /** How far the creation or deletion of a network or subnet has come.
   *  @throws TaskFailed when it cannot be done */
  changeNetwork(operation: Operation): Promise<Progress>;
  /** What each port of a router has carried, on average, in each step of the window that the router has lived through;
   *  oldest first. A port that is not named has no points. */
  readTraffic(
    router: ObservedRouter,
    window: SeriesWindow,
  ): Promise<ReadonlyMap<string, readonly PortTraffic[]>>;
}

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
