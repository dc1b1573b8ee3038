import type { RegionContext } from '../../platform/http/context.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { providerOfTask, requireProvider } from '../../platform/tasks/providers.ts';
import type { AddressProvider } from '../networking/addresses/index.ts';
import type { NetworkProvider } from '../networking/networks/index.ts';
import type { InstanceVolumes } from '../volumes/index.ts';
import type { InstanceProvider } from './port.ts';

/** What the feature is given, and what its services share. */
export interface InstanceDeps {
  providerOf(regionId: number): InstanceProvider | undefined;
  addressesOf(regionId: number): AddressProvider | undefined;
  networksOf(regionId: number): NetworkProvider | undefined;
  readonly volumes: InstanceVolumes;
  readonly cipher: Cipher;
  readonly prices: Prices;
}

/** The device that ports of an instance belong to. */
export const deviceOf = (id: string) => ({ type: 'instance', id }) as const;

/** @throws Forbidden when the region has no virtual machines */
export function requireInstanceProvider(deps: Pick<InstanceDeps, 'providerOf'>, ctx: RegionContext): void {
  requireProvider(deps, ctx.region, 'virtual machines');
}

/** Ids of the flavors that a region offers; undefined: all. */
export const flavorsIn = (deps: Pick<InstanceDeps, 'providerOf'>, ctx: RegionContext) =>
  deps.providerOf(ctx.region.id)?.flavors;

export const providerFor = providerOfTask('virtual machines');
