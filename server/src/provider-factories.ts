import { systemClock } from './kernel/clock.ts';
import { createSimulated } from './providers/simulated/index.ts';
import type { ProviderFactory } from './region-providers.ts';

export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
}

/** The providers that a region may name. */
export function providerFactories({
  seed,
  timeScale,
}: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  const clock = systemClock();
  return {
    local: () => ({ capabilities: {} }),
    simulated: ({ settings }) => ({
      ...createSimulated({ seed, timeScale, faults: settings.faults ?? {}, clock }),
      capabilities: {},
    }),
  };
}
