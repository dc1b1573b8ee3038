import type { CapacityProvider } from '../features/capacity/port.ts';
import type { ImageProvider } from '../features/images/port.ts';
import type { InstanceProvider } from '../features/instances/port.ts';
import type { KubernetesProvider } from '../features/kubernetes/port.ts';
import type { LoadBalancerProvider } from '../features/load-balancers/port.ts';
import type { PostgresqlProvider } from '../features/managed-postgresql/port.ts';
import type { AddressProvider } from '../features/networking/addresses/port.ts';
import type { NetworkProvider } from '../features/networking/networks/port.ts';
import type { ObjectStorageProvider } from '../features/object-storage/port.ts';
import { type Capabilities, NO_CAPABILITIES, type RegionRow } from '../features/regions/index.ts';
import type { SecurityGroupProvider } from '../features/security-groups/port.ts';
import type { SftpStorageProvider } from '../features/sftp-storages/port.ts';
import type { VolumeProvider } from '../features/volumes/port.ts';
import type { OwnedDataPlane, OwnedRegion } from '../platform/owners/owned-region.ts';

/** What a region runs on: the ports that its provider implements. */
export interface RegionProvider {
  readonly addresses?: AddressProvider;
  readonly loadBalancers?: LoadBalancerProvider;
  readonly kubernetes?: KubernetesProvider;
  readonly networks?: NetworkProvider;
  readonly volumes?: VolumeProvider | undefined;
  readonly instances?: InstanceProvider | undefined;
  readonly images?: ImageProvider | undefined;
  readonly securityGroups?: SecurityGroupProvider;
  readonly postgresql?: PostgresqlProvider;
  readonly objectStorage?: ObjectStorageProvider;
  readonly sftpStorage?: SftpStorageProvider;
  readonly capacity?: CapacityProvider;
  readonly capabilities: Partial<Capabilities>;
  /** Its programs run on a machine, so that one node at a time works on it. Absent: any number of nodes may. */
  readonly owner?: OwnedDataPlane;
  /** The cloud of others that serves it. */
  readonly cloud?: Cloud;
  /** Stops what must not outlive the server; `leave`: another server takes its programs over as they are. */
  close?(programs: 'leave' | 'stop'): Promise<void>;
}

/** How a cloud is that serves a region, as this node sees it. */
export interface Cloud {
  /** Why it cannot be asked at present, or null. */
  readonly fault: string | null;
  /** Calls since this node has started, and those of them that said nothing of the request. */
  readonly counts: { readonly calls: number; readonly failures: number };
  /** Milliseconds since 1970 when its credential ends; null: never, or nobody has signed in yet. */
  readonly credentialEndsAt: number | null;
}

/** What of a provider is no port. */
const NOT_PORTS = ['capabilities', 'owner', 'cloud', 'close'] as const;

/** The name of a port. */
export type Port = Exclude<keyof RegionProvider, (typeof NOT_PORTS)[number]>;

export const isPort = (name: string): boolean => !NOT_PORTS.some((other) => other === name);

export type ProviderFactory = (region: RegionRow) => RegionProvider;

/** The providers of all regions, made on the start. */
export class RegionProviders {
  readonly #providers: ReadonlyMap<number, RegionProvider>;
  /** Regions that one node at a time works on. */
  readonly owned: readonly OwnedRegion[];
  readonly #volumeTypes: ReadonlyMap<number, readonly string[]>;

  constructor(regions: readonly RegionRow[], factories: Readonly<Record<string, ProviderFactory>>) {
    const entries = regions.map((region) => {
      const factory = factories[region.provider];
      if (!factory)
        throw new Error(`region ${region.display_name} asks for the unknown provider ${region.provider}`);
      return [region.id, factory(region)] as const;
    });
    this.#providers = new Map(entries);
    this.owned = regions.flatMap(({ id, display_name: name }) => {
      const data = this.#providers.get(id)?.owner;
      return data ? [{ id, name, data }] : [];
    });
    this.#volumeTypes = new Map(regions.map(({ id, settings }) => [id, settings.volume_types ?? []]));
  }

  /** Who implements a port in which region; nobody where the region's provider does not. */
  of<P extends Port>(port: P): (regionId: number) => RegionProvider[P] | undefined {
    return (regionId) => this.#providers.get(regionId)?.[port];
  }

  /** The types of volumes that a region was given; none: all. */
  readonly volumeTypesOf = (regionId: number): readonly string[] => this.#volumeTypes.get(regionId) ?? [];

  readonly capabilitiesOf = async (regionId: number): Promise<Capabilities> => ({
    ...NO_CAPABILITIES,
    ...this.#providers.get(regionId)?.capabilities,
  });

  readonly regionIds = (): readonly number[] => [...this.#providers.keys()];

  /** The clouds that serve regions, by the ids of these. */
  clouds(): ReadonlyMap<number, Cloud> {
    return new Map([...this.#providers].flatMap(([id, { cloud }]) => (cloud ? [[id, cloud] as const] : [])));
  }

  /** The names of the ports that a region has. */
  portsOf(regionId: number): readonly string[] {
    const ports = Object.entries(this.#providers.get(regionId) ?? {});
    return ports.flatMap(([name, port]) => (isPort(name) && port !== undefined ? [name] : []));
  }

  /** Whether a region has a port or a capability, by its name. */
  offers(regionId: number, need: string): boolean {
    const capabilities = this.#providers.get(regionId)?.capabilities ?? {};
    return this.portsOf(regionId).includes(need) || capabilities[need as keyof Capabilities] === true;
  }

  /** Whether it has it, and this machine has the programs for it at present. */
  async serves(regionId: number, need: string): Promise<boolean> {
    const provider = this.#providers.get(regionId);
    if (!provider || !this.offers(regionId, need)) return false;
    const { capabilities, loadBalancers, objectStorage, sftpStorage } = provider;
    if (need === 'postgresql') return capabilities.dbaas === true;
    if (need === 'kubernetes') return capabilities.k8s === true;
    return !(await { loadBalancers, objectStorage, sftpStorage }[need]?.unavailable());
  }

  async close(programs: 'leave' | 'stop' = 'stop'): Promise<void> {
    await Promise.all([...new Set(this.#providers.values())].map((provider) => provider.close?.(programs)));
  }
}
