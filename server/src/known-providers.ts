import type { Engines } from './engines/index.ts';
import { catalogue } from './features/catalogue/index.ts';
import type { SimulationSignals } from './features/kubernetes/port.ts';
import type { RegionContents } from './features/regions/port.ts';
import type { StrikesOf } from './features/simulation/port.ts';
import type { Clock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import { localRegions } from './local-regions.ts';
import { LOCAL_CONTENTS, type LogCollector, type MemberNetworks } from './providers/local/index.ts';
import { createSimulated, SIMULATED_CONTENTS } from './providers/simulated/index.ts';
import type { ProviderFactory } from './region-providers.ts';

export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
  /** Where real programs keep their files. */
  readonly dataDir: string;
  readonly log: Logger;
  /** The nodes' common one. Programs of this machine have the machine's. */
  readonly clock: Clock;
  /** The programs of this machine that providers need. */
  readonly engines: Pick<Engines, 'isReady' | 'programOf' | 'faultOf' | 'install' | 'state'>;
  /** What operators say about simulated nodes. */
  readonly signals: SimulationSignals;
  /** What the faults of simulated regions do to their work. */
  readonly strikesOf: StrikesOf;
  readonly collectorOf: (regionId: number) => LogCollector | undefined;
  /** Where engines of this machine may connect to. */
  readonly memberNetworks: MemberNetworks;
}

/** A provider, by the name that regions give it. */
interface KnownProvider {
  /** Makes what a region runs on. */
  readonly factory: (options: ProviderOptions) => ProviderFactory;
  /** What a region has from the beginning. */
  readonly contents: () => RegionContents;
}

/** The providers that a region may name. The only list of them. */
const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  local: { factory: localRegions, contents: () => LOCAL_CONTENTS },
  simulated: { factory: simulatedRegions, contents: simulatedContents },
};

export const PROVIDER_NAMES = Object.keys(PROVIDERS);

export const contentsOf = (provider: string): RegionContents | undefined => PROVIDERS[provider]?.contents();

export function providerFactories(options: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  return Object.fromEntries(Object.entries(PROVIDERS).map(([name, { factory }]) => [name, factory(options)]));
}

function simulatedContents(): RegionContents {
  const images = catalogue().images.map(({ name, distribution: distro, version, ...image }) => ({
    name,
    distro,
    version,
    minDisk: image.min_disk_gib,
    minRam: image.min_ram_mib,
  }));
  return { ...SIMULATED_CONTENTS, images };
}

/** Regions without side effects. */
function simulatedRegions({ seed, timeScale, signals, strikesOf, clock }: ProviderOptions): ProviderFactory {
  return ({ id, settings }) => ({
    ...createSimulated({
      seed,
      timeScale,
      conditions: settings.faults ?? {},
      clock,
      signals,
      strikeOn: (operation) => strikesOf(id, operation),
    }),
    capabilities: { kvm: true, k8s: true, dbaas: true },
  });
}
