import path from 'node:path';
import type { SimulationSignals } from './features/kubernetes/port.ts';
import { systemClock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import type { LogCollector } from './kernel/log-collector.ts';
import {
  createLocalLoadBalancers,
  createOwnedDataPlane,
  localNetworks,
  OwnerFence,
} from './providers/local/index.ts';
import { createSimulated } from './providers/simulated/index.ts';
import type { ProviderFactory } from './region-providers.ts';

export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
  /** Where real programs keep their files. */
  readonly dataDir: string;
  readonly log: Logger;
  /** What operators say about simulated nodes. */
  readonly signals: SimulationSignals;
  readonly collectorOf: (regionId: number) => LogCollector | undefined;
}

/** The providers that a region may name. */
export function providerFactories({
  seed,
  timeScale,
  dataDir,
  log,
  signals,
  collectorOf,
}: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  const clock = systemClock();
  return {
    local: ({ id, slug }) => {
      const folderIn = (directory: string) => path.join(directory, 'regions', String(id));
      const fence = new OwnerFence(folderIn(dataDir));
      const loadBalancers = createLocalLoadBalancers({
        dataDir: folderIn(dataDir),
        log,
        instanceId: slug,
        fence,
        collectorOf,
      });
      return {
        loadBalancers,
        owner: createOwnedDataPlane(loadBalancers, fence, folderIn),
        networks: localNetworks,
        capabilities: {},
        close: () => loadBalancers.close('stop'),
      };
    },
    simulated: ({ settings }) => ({
      ...createSimulated({ seed, timeScale, faults: settings.faults ?? {}, clock, signals }),
      capabilities: { kvm: true, k8s: true, dbaas: true },
    }),
  };
}
