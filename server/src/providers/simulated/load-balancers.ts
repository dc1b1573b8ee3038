import type { LoadBalancerProvider, ObservedLoadBalancer } from '../../features/load-balancers/port.ts';
import { READY } from '../../kernel/operation.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. What only repairs or undoes costs no time. */
const DURATIONS: Readonly<Record<string, Range>> = {
  create_loadbalancer: [30, 90],
  resize_loadbalancer: [30, 60],
  failover_loadbalancer: [20, 40],
  delete_loadbalancer: [5, 15],
};
const CHANGE: Range = [3, 10];
const UNDOING = 'restore_loadbalancer';

/** Seen at every version, so that it never looks out of date; counts nothing, since nothing flows. */
const FINE: ObservedLoadBalancer = {
  version: Number.MAX_SAFE_INTEGER,
  members: new Map(),
  listenerStats: new Map(),
  lastChecks: new Map(),
  insteadOfChecks: 'Nothing is checked in a simulated region: every member counts as alive.',
};

/** Simulated load balancers: real timing, no traffic. Keeps nothing in memory. */
export function simulatedLoadBalancers(options: SimulationOptions): LoadBalancerProvider {
  return {
    passive: true,
    unavailable: async () => null,
    async apply(_desired, operation) {
      if (operation.type === UNDOING) return READY;
      return progressOf(operation, DURATIONS[operation.type] ?? CHANGE, options);
    },
    async remove(_id, operation) {
      // Any other task that removes is undoing what it did.
      if (operation.type !== 'delete_loadbalancer') return READY;
      return progressOf(operation, DURATIONS.delete_loadbalancer ?? CHANGE, options);
    },
    observe: async (ids) => new Map(ids.map((id) => [id, FINE])),
    reconcile: async () => {},
  };
}
