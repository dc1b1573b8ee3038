import type { LoadBalancerProvider } from '../../features/load-balancers/port.ts';
import type { Clock } from '../../kernel/clock.ts';
import { simulatedLoadBalancers } from './load-balancers.ts';

export interface SimulatedOptions {
  /** The same seed gives the same durations and failures. */
  readonly seed: string;
  /** Multiplies durations; 0: instant, 1: as long as in a real cloud. */
  readonly timeScale: number;
  /** Rate of failures by task type, 0 to 1. */
  readonly faults: Readonly<Record<string, number>>;
  readonly clock: Clock;
}

/** A region without side effects: what is asked of it takes its time and then counts as done. */
export function createSimulated(options: SimulatedOptions): { readonly loadBalancers: LoadBalancerProvider } {
  const { clock, ...rest } = options;
  return { loadBalancers: simulatedLoadBalancers({ ...rest, now: () => clock.now().getTime() }) };
}
