import { type NetworkProvider, noTraffic } from '../../features/networking/networks/port.ts';
import { type Operation, READY } from '../../kernel/operation.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. */
const CHANGE: Range = [5, 10];
/** All else is timed by what gives addresses, or undoes something. */
const TIMED = /^((create|update|delete)_(network|subnet|router)|update_port)$/;

/** Simulated networks: real timing, no packets. */
export function simulatedNetworks(options: SimulationOptions): NetworkProvider {
  const timed = async (_what: unknown, operation: Operation) =>
    TIMED.test(operation.type) ? progressOf(operation, CHANGE, options) : READY;
  return {
    apply: timed,
    remove: timed,
    readTraffic: async (router, window) => noTraffic(router, window),
  };
}
