import { Invalid } from '../../../kernel/errors.ts';
import type { RegionScope } from '../../../platform/http/context.ts';
import type { Providers } from '../../../platform/tasks/providers.ts';
import type { AddressProvider } from './port.ts';

/** Who gives addresses in which region. */
export interface RegionAddresses extends Providers<AddressProvider> {
  /** Which node works on a region. Absent: this one on all. */
  readonly owners?: { faultElsewhere(regionId: number): Promise<string | null | undefined> } | undefined;
}

/** Where another node works on the region, that one will see.
 *  @param field of the body that asks for an address of this IPv6 subnet
 *  @throws Invalid when the region cannot have any here and now, saying what would help */
export async function requireIpv6(
  { providerOf, owners }: RegionAddresses,
  region: RegionScope,
  cidr: string,
  field: string,
): Promise<void> {
  if ((await owners?.faultElsewhere(region.id)) !== undefined) return;
  const fault = (await providerOf(region.id)?.ipv6Fault?.(cidr)) ?? null;
  if (fault === null) return;
  throw new Invalid({ [field]: [`IPv6 addresses are not available in region ${region.name}: ${fault}`] });
}
