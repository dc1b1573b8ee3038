import { Conflict, Invalid, Locked, NotFound } from '../../../kernel/errors.ts';
import { canonicalAddress, isHostOf, parseRange } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import type { RegionContext, Scoped } from '../../../platform/http/context.ts';
import {
  type AddressProvider,
  type AddressRoom,
  giveAddress,
  giveAnyAddress,
  lockAddresses,
  requireIpv6,
} from '../addresses/index.ts';
import { type AddressSubnet, findSubnet, WHOLE_REGION } from '../networks/index.ts';
import { type Device, deviceOf, deviceText, type PortRow } from './model.ts';
import * as store from './store.ts';

/** Where ports are opened, and what gives them ids and times: a request's context has it all. */
export type PortScope = Pick<RegionContext, 'project' | 'region' | 'scope' | 'ids' | 'clock'>;

export type IpFamily = 'dual' | 'ipv4' | 'ipv6' | null;

/** Which port is requested, in the words of the wire. */
export type RequestedInterface =
  | { readonly type: 'external'; readonly ip_family?: IpFamily | undefined }
  | { readonly type: 'subnet'; readonly subnet_id: string; readonly network_id?: string | undefined }
  | {
      readonly type: 'any_subnet';
      readonly network_id: string;
      readonly ip_family?: IpFamily | undefined;
      readonly ip_address?: string | undefined;
    }
  | { readonly type: 'reserved_fixed_ip'; readonly port_id: string };

export interface RequestedPort {
  readonly interface: RequestedInterface;
  readonly interfaceName?: string | null | undefined;
  /** undefined: none, or those that a reserved port has. The caller makes sure that they exist. */
  readonly securityGroupIds?: readonly string[] | undefined;
  /** What messages call it: `interfaces.0`; '' for the body itself. */
  readonly field: string;
}

export interface OpenedPorts {
  /** In the order in which they were requested. */
  readonly ports: readonly PortRow[];
  /** Of `external_ip_count`, for the caller to reserve: reserving comes last in a transaction. */
  readonly externalIps: number;
}

/** Opens ports with addresses for a device, or gives it reserved ones, in the caller's transaction. For regions
 *  whose networks have their addresses to themselves.
 *  @param addresses of the region; absent: every one of them can be had
 *  @throws Invalid naming the field at fault, NotFound for what an interface names, Conflict when an address or port
 *  is in use, a subnet has no free address or a task holds something of it */
export async function openPorts(
  tx: Tx,
  ctx: PortScope,
  device: Device,
  requested: readonly RequestedPort[],
  addresses?: AddressProvider,
): Promise<OpenedPorts> {
  const found: (readonly AddressSubnet[])[] = [];
  for (const one of requested) {
    const subnets = await subnetsOf(tx, ctx, one);
    for (const { network, version, cidr } of subnets)
      if (network.external && version === 6)
        await requireIpv6({ providerOf: () => addresses }, ctx.region, cidr, fieldOf(one, 'ip_family'));
    found.push(subnets);
  }
  await lockAddresses(tx, ctx.region.id, found.flat().map(spaceOf));
  const ports: PortRow[] = [];
  let externalIps = 0;
  for (const [index, one] of requested.entries()) {
    const { interface: its } = one;
    const id =
      its.type === 'reserved_fixed_ip'
        ? await claimReserved(tx, ctx, device, one, its.port_id)
        : await openPort(tx, ctx, device, one, found[index] ?? []);
    const port = await store.readPort(tx, id, ctx.scope);
    if (its.type === 'external') externalIps += port.ip_assignments.length;
    ports.push(port);
  }
  return { ports, externalIps };
}

/** Opens a port with a certain address, whatever the address is for, or with any free one; the caller knows that the
 *  network and the device are there.
 *  @returns its id; undefined when something has the address, or none is free */
export async function openPortAt(
  tx: Tx,
  ctx: PortScope,
  port: {
    readonly device: Device;
    readonly networkId: string;
    readonly room: AddressRoom;
    /** undefined: any. */
    readonly address: string | undefined;
  },
): Promise<string | undefined> {
  const id = ctx.ids.uuid();
  await lockAddresses(tx, ctx.region.id, [port.room.space]);
  const given =
    port.address === undefined
      ? (await giveAnyAddress(tx, port.room, id)) !== undefined
      : await giveAddress(tx, port.room, port.address, id);
  if (!given) return undefined;
  await insertUnfiltered(tx, ctx, id, port);
  return id;
}

/** Opens a port that has no address yet.
 *  @returns its id */
export async function openPortWithout(
  tx: Tx,
  ctx: PortScope,
  port: { readonly device: Device; readonly networkId: string },
): Promise<string> {
  const id = ctx.ids.uuid();
  await insertUnfiltered(tx, ctx, id, port);
  return id;
}

/** A port in no security group, of what filters its traffic itself. */
function insertUnfiltered(
  tx: Tx,
  ctx: PortScope,
  id: string,
  { device, networkId }: { readonly device: Device; readonly networkId: string },
): Promise<void> {
  return store.insertPort(tx, {
    ...ctx.scope,
    id,
    clientId: ctx.project.clientId,
    networkId,
    device,
    interfaceName: null,
    securityGroupIds: [],
    timestamp: ctx.clock.timestamp(),
  });
}

/** Removes ports in the caller's transaction, with their addresses; reserved ones lose only their device.
 *  @returns how many of `external_ip_count` are free now, for the caller to release */
export async function closePorts(tx: Tx, ids: readonly string[], timestamp: string): Promise<number> {
  return store.removePorts(tx, ids, timestamp);
}

/** The ports of a device, locked until the transaction ends.
 *  @throws Locked when a task changes one of them */
export async function lockPortsOf(tx: Tx, device: Device): Promise<PortRow[]> {
  await store.lockDevice(tx, device);
  const ports = await store.readPortsOf(tx, device.type, [device.id]);
  for (const port of ports) requireFree('Port', port);
  return ports;
}

/** Gives a port to a task until that ends.
 *  @throws NotFound, Locked when another task holds it */
export async function holdPort(tx: Tx, where: Scoped, taskId: string): Promise<PortRow> {
  const reservation = await store.lockReservation(tx, where);
  const port = await store.lockPort(tx, where.id, where);
  if (reservation) throw new Locked(`Reserved fixed IP ${where.id}`, reservation);
  requireFree('Port', port);
  await store.holdPort(tx, port.id, taskId);
  return port;
}

const fieldOf = ({ field }: RequestedPort, name: string) => (field === '' ? name : `${field}.${name}`);

/** Here networks of projects have their addresses to themselves. */
const spaceOf = ({ network }: AddressSubnet): string => (network.external ? WHOLE_REGION : network.id);

async function openPort(
  tx: Tx,
  ctx: PortScope,
  device: Device,
  requested: RequestedPort,
  subnets: readonly AddressSubnet[],
): Promise<string> {
  const { interface: its } = requested;
  const [first] = subnets;
  if (!first) throw new Error('a port has its addresses from somewhere');
  const id = ctx.ids.uuid();
  await store.insertPort(tx, {
    ...ctx.scope,
    id,
    clientId: ctx.project.clientId,
    networkId: first.network.id,
    device,
    interfaceName: requested.interfaceName ?? null,
    securityGroupIds: requested.securityGroupIds ?? [],
    timestamp: ctx.clock.timestamp(),
  });
  const address = its.type === 'any_subnet' ? its.ip_address : undefined;
  for (const subnet of subnets) await giveFrom(tx, ctx, subnet, id, address);
  return id;
}

async function giveFrom(
  tx: Tx,
  ctx: PortScope,
  subnet: AddressSubnet,
  id: string,
  address: string | undefined,
): Promise<void> {
  const { network, subnetId, cidr, gateway } = subnet;
  const room = {
    regionId: ctx.region.id,
    space: spaceOf(subnet),
    subnetId: network.external ? null : subnetId,
    cidr,
    gateway,
  };
  if (address === undefined) {
    if ((await giveAnyAddress(tx, room, id)) === undefined) {
      throw new Conflict(`Subnet ${subnetId} (${cidr}) has no free address`);
    }
  } else if (!(await giveAddress(tx, room, canonicalAddress(address), id))) {
    throw new Conflict(`${address} is in use in network ${network.id}`);
  }
}

/** The subnets that give the port its addresses: one, or one of each version; none where it has them already. */
async function subnetsOf(
  tx: Tx,
  ctx: PortScope,
  requested: RequestedPort,
): Promise<readonly AddressSubnet[]> {
  const { interface: its } = requested;
  if (its.type === 'reserved_fixed_ip') return [];
  const scope = ctx.scope;
  if (its.type === 'subnet') {
    const { subnet_id: subnetId, network_id: networkId } = its;
    return [await findSubnet(tx, { ...scope, subnetId, networkId }, fieldOf(requested, 'subnet_id'))];
  }
  const networkId = its.type === 'any_subnet' ? its.network_id : undefined;
  if (its.type === 'any_subnet' && its.ip_address !== undefined) {
    return [await subnetOfAddress(tx, ctx, fieldOf(requested, 'ip_address'), its.network_id, its.ip_address)];
  }
  const field = fieldOf(requested, 'ip_family');
  const subnet = (version: 4 | 6) => findSubnet(tx, { ...scope, networkId, version }, field);
  const family = its.ip_family ?? 'ipv4';
  if (family === 'dual') return [await subnet(4), await subnet(6)];
  return [await subnet(family === 'ipv6' ? 6 : 4)];
}

/** The subnet of a network that a requested address belongs to.
 *  @throws Invalid when none has it, or nobody may ask for it */
export async function subnetOfAddress(
  tx: Tx,
  ctx: PortScope,
  field: string,
  networkId: string,
  address: string,
): Promise<AddressSubnet> {
  const containing = canonicalAddress(address);
  const subnet = await findSubnet(tx, { ...ctx.scope, networkId, containing }, field);
  const range = parseRange(subnet.cidr);
  if (subnet.network.external || !range || !isHostOf(range, containing)) {
    throw new Invalid({ [field]: [`is not an address of ${subnet.cidr} that can be asked for`] });
  }
  if (containing === subnet.gateway) throw new Invalid({ [field]: ['is the gateway of its subnet'] });
  return subnet;
}

/** Gives a reserved fixed IP to the device. */
async function claimReserved(
  tx: Tx,
  ctx: PortScope,
  device: Device,
  requested: RequestedPort,
  id: string,
): Promise<string> {
  const where = { ...ctx.scope, id };
  const held = await store.lockReservation(tx, where);
  if (held === undefined) throw new NotFound(`Port ${id} was not found among the reserved fixed IPs`);
  if (held !== null) throw new Locked(`Reserved fixed IP ${id}`, held);
  const port = await store.lockFreePort(tx, where.id, where);
  const user = deviceOf(port);
  if (user) throw new Conflict(`Reserved fixed IP ${id} is in use by ${deviceText(user)}`);
  const sharing = await store.sharersOf(tx, port);
  if (sharing.length > 0) {
    throw new Conflict(
      `Reserved fixed IP ${id} is shared by instances ${sharing.join(', ')}; disconnect them first`,
    );
  }
  const { interfaceName = null, securityGroupIds } = requested;
  await store.attachPort(tx, id, { device, interfaceName, securityGroupIds }, ctx.clock.timestamp());
  return id;
}
