import type { RegionContext } from '../../platform/http/context.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { providerOfTask, requireProvider } from '../../platform/tasks/providers.ts';
import type { AddressProvider } from '../networking/addresses/index.ts';
import type { InstanceVolumes } from '../volumes/index.ts';
import type { InstanceProvider } from './port.ts';

/** What the feature is given, and what its services share. */
export interface InstanceDeps {
  providerOf(regionId: number): InstanceProvider | undefined;
  addressesOf(regionId: number): AddressProvider | undefined;
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

export const providerFor = providerOfTask('virtual machines');
