import { catalogue } from '../features/catalogue/index.ts';
import type { RegionRow } from '../features/regions/index.ts';
import type { RegionContents } from '../features/regions/port.ts';
import { LOCAL_CONTENTS } from '../providers/local/index.ts';
import { type OpenStackSettings, openStackContents } from '../providers/openstack/index.ts';
import { createSimulated, SIMULATED_CONTENTS } from '../providers/simulated/index.ts';
import { localRegions } from './local-regions.ts';
import { openStackRegions } from './openstack-regions.ts';
import type { ProviderOptions } from './provider-options.ts';
import type { ProviderFactory } from './region-providers.ts';

/** A provider, by the name that regions give it. */
interface KnownProvider {
  /** Makes what a region runs on. */
  readonly factory: (options: ProviderOptions) => ProviderFactory;
  /** What a region has from the beginning. */
  readonly contents: (settings: RegionRow['settings']) => RegionContents;
  /** Whether every project has a default security group there. */
  readonly securityGroups: boolean;
}

/** The providers that a region may name. The only list of them. */
const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  // Nothing on one machine filters packets.
  local: { factory: localRegions, contents: () => LOCAL_CONTENTS, securityGroups: false },
  openstack: {
    factory: openStackRegions,
    contents: ({ openstack }) => openStackContents(openstack as OpenStackSettings),
    securityGroups: true,
  },
  simulated: { factory: simulatedRegions, contents: simulatedContents, securityGroups: true },
};

export const PROVIDER_NAMES = Object.keys(PROVIDERS);

export const contentsOf = ({
  provider,
  settings,
}: Pick<RegionRow, 'provider' | 'settings'>): RegionContents | undefined =>
  PROVIDERS[provider]?.contents(settings);

/** The providers in whose regions every project has a default security group. */
export const WITH_SECURITY_GROUPS = PROVIDER_NAMES.filter((name) => PROVIDERS[name]?.securityGroups);

export function providerFactories(options: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  return Object.fromEntries(Object.entries(PROVIDERS).map(([name, { factory }]) => [name, factory(options)]));
}

function simulatedContents(): RegionContents {
  const images = catalogue().images.map(({ name, distribution: distro, version, ...image }) => ({
    name,
    distro,
    version,
    osType: image.os_type ?? 'linux',
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
