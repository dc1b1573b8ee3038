import { Conflict, Invalid } from '../../../kernel/errors.ts';
import { canonicalAddress, isHostOf, parseRange } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Place, RegionContext } from '../../../platform/http/context.ts';
import { type AddressProvider, type RegionAddresses, requireIpv6 } from '../addresses/index.ts';
import { type AddressPlace, findPlace, findPlaces, spaceOf } from '../networks/index.ts';
import type { CreateReservedFixedIp } from './schema.ts';
import { type AdditionalPlace, lockUsedPort } from './store.ts';

/** What is asked for, in the terms of the database. */
export interface Requested {
  readonly id: string;
  readonly place: AddressPlace;
  readonly space: string;
  /** null: any. */
  readonly address: string | null;
  /** A second address, of the other version. */
  readonly additional: AdditionalPlace | null;
}

/** Where the addresses shall come from.
 *  @throws Invalid, NotFound for what the body names, Conflict */
export async function findRequested(
  tx: Tx,
  ctx: RegionContext,
  input: CreateReservedFixedIp,
  addresses: RegionAddresses,
): Promise<Requested> {
  const scope = ctx.place;
  const provider = addresses.providerOf(ctx.region.id);
  if (input.type === 'port') return portOf(tx, ctx.place, input.port_id);
  const id = ctx.ids.uuid();
  if (input.type === 'ip_address') return chosen(tx, ctx.place, input, id, provider);
  const named = input.type === 'subnet' ? { subnetId: input.subnet_id } : {};
  const network = input.type === 'any_subnet' ? { networkId: input.network_id } : {};
  const family = input.type === 'subnet' ? undefined : (input.ip_family ?? undefined);
  const field = input.type === 'subnet' ? 'subnet_id' : 'ip_family';
  const [place, second] = await findPlaces(tx, { ...scope, ...named, ...network, family }, field);
  // An address that only this region could carry, and cannot, is not for sale.
  for (const each of [place, second]) {
    if (each?.version === 6 && each.network.external)
      await requireIpv6(addresses, ctx.region, each.cidr, field);
  }
  const additional = second
    ? { subnetId: second.subnetId, space: spaceOf(second, provider), address: null }
    : null;
  return { id, place, space: spaceOf(place, provider), address: null, additional };
}

/** A certain address, which must be one that something can have. */
async function chosen(
  tx: Tx,
  where: Place,
  input: CreateReservedFixedIp & { type: 'ip_address' },
  id: string,
  provider: AddressProvider | undefined,
): Promise<Requested> {
  const address = canonicalAddress(input.ip_address);
  const place = await findPlace(
    tx,
    { ...where, networkId: input.network_id, containing: address },
    'ip_address',
  );
  const range = parseRange(place.cidr);
  if (place.network.external || !range || !isHostOf(range, address)) {
    throw new Invalid({ ip_address: [`is not an address of ${place.cidr} that can be asked for`] });
  }
  if (address === place.gateway) {
    throw new Invalid({ ip_address: ['is the gateway of its subnet'] });
  }
  return { id, place, space: spaceOf(place, provider), address, additional: null };
}

/** The port of a load balancer, which keeps its addresses beyond it. */
async function portOf(tx: Tx, where: Place, id: string): Promise<Requested> {
  const port = await lockUsedPort(tx, { id, ...where });
  const { additional_subnet_id: secondId, additional_space: secondSpace, additional_address: second } = port;
  if (port.vip_address === null || (secondId !== null && second === null)) {
    throw new Conflict(`Load balancer ${port.load_balancer_id} has no address yet`, { retryAfterMs: 1000 });
  }
  const subnetId = port.vip_subnet_id ?? undefined;
  const place = await findPlace(tx, { ...where, subnetId }, 'port_id');
  const additional =
    secondId === null || secondSpace === null
      ? null
      : { subnetId: secondId, space: secondSpace, address: second };
  return { id, place, space: port.vip_space, address: port.vip_address, additional };
}
