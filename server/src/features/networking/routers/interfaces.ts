import { Conflict, Invalid, NotFound } from '../../../kernel/errors.ts';
import { canonicalAddress, isHostOf, parseRange, rangesOverlap } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { AddressProvider } from '../addresses/index.ts';
import { type AddressSubnet, isGivenIn, readExternalNetwork, spaceOf } from '../networks/index.ts';
import { closePorts, openPortAt, openPorts, openPortWithout, type PortScope } from '../ports/index.ts';
import { type RouterRow, routesThrough } from './model.ts';
import * as store from './store.ts';

/** The ports of routers: in the subnets that they join, and in the region's own network. */

export interface Attachment {
  readonly subnet: AddressSubnet;
  /** undefined: the subnet's gateway, or any free address where it has none or a router has it already. */
  readonly address?: string | undefined;
  /** Field of the body that names the subnet. */
  readonly field: string;
}

type Attached = Pick<RouterRow, 'id' | 'interfaces'>;

/** Gives the router a port in a subnet.
 *  @throws Invalid for an address that it cannot have, Conflict when the subnet is attached already, overlaps
 *  another one of the router, or something has the address */
export async function attachSubnet(
  tx: Tx,
  ctx: PortScope,
  router: Attached,
  { subnet, address: requested, field }: Attachment,
  provider: AddressProvider | undefined,
): Promise<void> {
  const { subnetId } = subnet;
  refuseUnfit(router, subnet, field);
  const address = requested === undefined ? await freeGateway(tx, subnet) : hostOf(subnet, requested);
  const room = {
    regionId: ctx.region.id,
    // Gateways are never given away, so that those of two networks may be the same address.
    space: address === subnet.gateway ? subnet.network.id : spaceOf(subnet, provider),
    subnetId,
    cidr: subnet.cidr,
    gateway: subnet.gateway,
  };
  const conflict = new Conflict(
    address === undefined
      ? `Subnet ${subnetId} has no free address`
      : `${address} is in use in network ${subnet.network.id}`,
  );
  if (address !== undefined && (await isGivenIn(tx, subnetId, address))) throw conflict;
  const device = { type: 'router', id: router.id } as const;
  const portId = await openPortAt(tx, ctx, { device, networkId: subnet.network.id, room, address });
  if (portId === undefined) throw conflict;
  await store.insertInterface(tx, { portId, routerId: router.id, subnetId });
}

/** Where the router's address in a subnet may be unique. */
export const spacesOf = (subnet: AddressSubnet, provider: AddressProvider | undefined): readonly string[] => [
  subnet.network.id,
  spaceOf(subnet, provider),
];

/** The subnet's gateway, unless it has none or another router has it. */
async function freeGateway(tx: Tx, { gateway, subnetId }: AddressSubnet): Promise<string | undefined> {
  if (gateway === null || (await isGivenIn(tx, subnetId, gateway))) return undefined;
  return gateway;
}

function hostOf({ cidr }: AddressSubnet, requested: string): string {
  const address = canonicalAddress(requested);
  const range = parseRange(cidr);
  if (address !== null && range && isHostOf(range, address)) return address;
  throw new Invalid({ ip_address: [`is not an address of ${cidr} that something can have`] });
}

function refuseUnfit(router: Attached, subnet: AddressSubnet, field: string): void {
  if (subnet.network.external) {
    throw new Invalid({ [field]: ['is of the external network: use external_gateway_info for that'] });
  }
  const range = parseRange(subnet.cidr);
  for (const { subnet_id, cidr } of router.interfaces) {
    if (subnet_id === subnet.subnetId) {
      throw new Conflict(`Subnet ${subnet_id} is attached to router ${router.id} already`);
    }
    const other = parseRange(cidr);
    if (range && other && rangesOverlap(range, other)) {
      throw new Conflict(`Subnet ${subnet.subnetId} (${subnet.cidr}) overlaps subnet ${subnet_id} (${cidr})`);
    }
  }
}

/** Removes the router's port from a subnet.
 *  @throws NotFound when it has none there, Conflict when routes lead through it */
export async function detachSubnet(
  tx: Tx,
  router: RouterRow,
  subnetId: string,
  timestamp: string,
): Promise<void> {
  const its = router.interfaces.find((one) => one.subnet_id === subnetId);
  if (!its) throw new NotFound(`Subnet ${subnetId} is not attached to router ${router.id}`);
  refuseRouted(router, subnetId);
  await closePorts(tx, [its.port_id], timestamp);
}

/** @throws Conflict when a static route of the router leads through the subnet */
export function refuseRouted(router: RouterRow, subnetId: string): void {
  const its = router.interfaces.find((one) => one.subnet_id === subnetId);
  const [route] = its ? routesThrough(router.routes, its.cidr) : [];
  if (!route) return;
  throw new Conflict(
    `The route of router ${router.id} to ${route.destination} leads through subnet ${subnetId}; remove it first`,
  );
}

/** Gives the router a port with an external address, which is known later where the provider chooses it.
 *  @returns the port's id */
export async function openGateway(
  tx: Tx,
  ctx: PortScope,
  routerId: string,
  provider: AddressProvider | undefined,
): Promise<string> {
  if (provider?.choosesGateways) {
    const network = await readExternalNetwork(tx, ctx.region.id);
    return openPortWithout(tx, ctx, { device: { type: 'router', id: routerId }, networkId: network.id });
  }
  const requested = [{ interface: { type: 'external' }, field: 'external_gateway_info' }] as const;
  const { ports } = await openPorts(tx, ctx, { type: 'router', id: routerId }, requested);
  const [port] = ports;
  if (!port) throw new Error('a requested port is always opened');
  return port.id;
}
