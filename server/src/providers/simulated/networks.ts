import { type NetworkProvider, noTraffic } from '../../features/networking/networks/port.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. */
const CHANGE: Range = [5, 10];

/** Simulated networks: real timing, no packets. */
export function simulatedNetworks(options: SimulationOptions): NetworkProvider {
  return {
    changeNetwork: async (operation) => progressOf(operation, CHANGE, options),
    readTraffic: async (router, window) => noTraffic(router, window),
  };
}
