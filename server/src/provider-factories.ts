import path from 'node:path';
import { systemClock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import { createLocalLoadBalancers } from './providers/local/index.ts';
import { createSimulated } from './providers/simulated/index.ts';
import type { ProviderFactory } from './region-providers.ts';

export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
  /** Where real programs keep their files. */
  readonly dataDir: string;
  readonly log: Logger;
}

/** The providers that a region may name. */
export function providerFactories({
  seed,
  timeScale,
  dataDir,
  log,
}: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  const clock = systemClock();
  return {
    local: ({ id, slug }) => {
      const loadBalancers = createLocalLoadBalancers({
        dataDir: path.join(dataDir, 'regions', String(id)),
        log,
        instanceId: slug,
      });
      return { loadBalancers, capabilities: {}, close: () => loadBalancers.close('stop') };
    },
    simulated: ({ settings }) => ({
      ...createSimulated({ seed, timeScale, faults: settings.faults ?? {}, clock }),
      capabilities: { kvm: true, k8s: true, dbaas: true },
    }),
  };
}
