import { Conflict, Invalid } from '../../../kernel/errors.ts';
import { canonicalAddress, isHostOf, parseRange } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext, Scope } from '../../../platform/http/context.ts';
import { type AddressProvider, type RegionAddresses, requireIpv6 } from '../addresses/index.ts';
import { type AddressSubnet, findSubnet, findSubnets, spaceOf } from '../networks/index.ts';
import type { CreateReservedFixedIp } from './schema.ts';
import { type AdditionalAddress, lockUsedPort } from './store.ts';

/** What is asked for, in the terms of the database. */
export interface Requested {
  readonly id: string;
  readonly subnet: AddressSubnet;
  readonly space: string;
  /** null: any. */
  readonly address: string | null;
  /** A second address, of the other version. */
  readonly additional: AdditionalAddress | null;
}

/** Where the addresses shall come from.
 *  @throws Invalid, NotFound for what the body names, Conflict */
export async function findRequested(
  tx: Tx,
  ctx: RegionContext,
  input: CreateReservedFixedIp,
  addresses: RegionAddresses,
): Promise<Requested> {
  const scope = ctx.scope;
  const provider = addresses.providerOf(ctx.region.id);
  if (input.type === 'port') return portOf(tx, ctx.scope, input.port_id);
  const id = ctx.ids.uuid();
  if (input.type === 'ip_address') return chosen(tx, ctx.scope, input, id, provider);
  const named = input.type === 'subnet' ? { subnetId: input.subnet_id } : {};
  const network = input.type === 'any_subnet' ? { networkId: input.network_id } : {};
  const family = input.type === 'subnet' ? undefined : (input.ip_family ?? undefined);
  const field = input.type === 'subnet' ? 'subnet_id' : 'ip_family';
  const [subnet, second] = await findSubnets(tx, { ...scope, ...named, ...network, family }, field);
  // An address that only this region could carry, and cannot, is not for sale.
  for (const each of [subnet, second]) {
    if (each?.version === 6 && each.network.external)
      await requireIpv6(addresses, ctx.region, each.cidr, field);
  }
  const additional = second
    ? { subnetId: second.subnetId, space: spaceOf(second, provider), address: null }
    : null;
  return { id, subnet, space: spaceOf(subnet, provider), address: null, additional };
}

/** A certain address, which must be one that something can have. */
async function chosen(
  tx: Tx,
  where: Scope,
  input: CreateReservedFixedIp & { type: 'ip_address' },
  id: string,
  provider: AddressProvider | undefined,
): Promise<Requested> {
  const address = canonicalAddress(input.ip_address);
  const subnet = await findSubnet(
    tx,
    { ...where, networkId: input.network_id, containing: address },
    'ip_address',
  );
  const range = parseRange(subnet.cidr);
  if (subnet.network.external || !range || !isHostOf(range, address)) {
    throw new Invalid({ ip_address: [`is not an address of ${subnet.cidr} that can be asked for`] });
  }
  if (address === subnet.gateway) {
    throw new Invalid({ ip_address: ['is the gateway of its subnet'] });
  }
  return { id, subnet, space: spaceOf(subnet, provider), address, additional: null };
}

/** The port of a load balancer, which keeps its addresses beyond it. */
async function portOf(tx: Tx, where: Scope, id: string): Promise<Requested> {
  const port = await lockUsedPort(tx, { id, ...where });
  const { additional_subnet_id: secondId, additional_space: secondSpace, additional_address: second } = port;
  if (port.vip_address === null || (secondId !== null && second === null)) {
    throw new Conflict(`Load balancer ${port.load_balancer_id} has no address yet`, { retryAfterMs: 1000 });
  }
  const subnetId = port.vip_subnet_id ?? undefined;
  const subnet = await findSubnet(tx, { ...where, subnetId }, 'port_id');
  const additional =
    secondId === null || secondSpace === null
      ? null
      : { subnetId: secondId, space: secondSpace, address: second };
  return { id, subnet, space: port.vip_space, address: port.vip_address, additional };
}
