import { Invalid, Locked, NotFound } from '../../../kernel/errors.ts';
import { parseRange, rangeContains } from '../../../kernel/ip.ts';
import type { Queryable, Tx } from '../../../platform/database/db.ts';
import { raw, sql } from '../../../platform/database/sql.ts';
import type { AddressProvider, AddressSource } from '../addresses/index.ts';
import type { NetworkRow, Scope } from './model.ts';
import { keepNetwork, readExternalNetwork, readNetwork } from './store.ts';
import { readSubnet } from './subnets/store.ts';

/** Where something gets its address. */

/** Stands for "unique in the whole region". */
export const WHOLE_REGION = '00000000-0000-0000-0000-000000000000';

export interface AddressSubnet {
  readonly network: NetworkRow;
  readonly subnetId: string;
  readonly version: 4 | 6;
  readonly cidr: string;
  readonly gateway: string | null;
}

export interface SubnetQuery extends Scope {
  readonly networkId?: string | undefined;
  readonly subnetId?: string | undefined;
  /** Default: that of the subnet, else IPv4 where the network has it. */
  readonly version?: 4 | 6 | undefined;
  /** The subnet that this address belongs to. */
  readonly containing?: string | undefined;
}

interface Candidate {
  readonly id: string;
  readonly network_id: string;
  readonly cidr: string;
  readonly gateway: string | null;
  readonly version: 4 | 6;
  readonly task_id: string | null;
}

/** The subnet that a network, a subnet, or neither (the region's own network) stands for. The project's own are
 *  locked against deletion until the transaction ends.
 *  @param field of the body that is at fault when the network has no such subnet
 *  @throws NotFound, Invalid, Conflict when a task holds the network or subnet */
export async function findSubnet(tx: Tx, query: SubnetQuery, field: string): Promise<AddressSubnet> {
  const named = query.subnetId === undefined ? undefined : await readSubnet(tx, query.subnetId, query);
  const networkId = query.networkId ?? named?.network_id;
  const network =
    networkId === undefined
      ? await readExternalNetwork(tx, query.regionId)
      : await keptNetwork(tx, networkId, query);
  if (named && named.network_id !== network.id) {
    throw new NotFound(`Subnet ${named.id} was not found in network ${network.id}`);
  }
  const all = await lockSubnets(tx, network);
  const { containing, version } = query;
  const fitting = all.filter(
    ({ id, cidr, version: its }) =>
      (!named || id === named.id) &&
      (version === undefined || its === version) &&
      (containing === undefined || isIn(cidr, containing)),
  );
  const subnet = fitting.find(({ version: its }) => its === 4) ?? fitting[0];
  if (!subnet) {
    if (containing !== undefined) {
      throw new Invalid({ [field]: [`is in no subnet of network ${network.id}`] });
    }
    const which = named ? `subnet ${named.id} is not one` : `network ${network.id} has none`;
    throw new Invalid({ [field]: [`needs a subnet${version ? ` of IPv${version}` : ''}, and ${which}`] });
  }
  const held = subnet.task_id ?? network.task_id;
  if (held !== null) throw new Locked(`Subnet ${subnet.id}`, held);
  const { cidr, gateway, version: its } = subnet;
  return { network, subnetId: subnet.id, version: its, cidr, gateway };
}

/** The IP versions of what shall have an address, or one of each. */
export type IpFamily = 'ipv4' | 'ipv6' | 'dual';

/** The subnets of what may have two addresses: for `dual` one of each version, IPv4 first, in one network. A subnet
 *  that is named is that of its version.
 *  @throws like `findSubnet` */
export async function findSubnets(
  tx: Tx,
  { family, ...query }: Omit<SubnetQuery, 'version' | 'containing'> & { family?: IpFamily | undefined },
  field: string,
): Promise<readonly [AddressSubnet, AddressSubnet?]> {
  if (family !== 'dual') {
    const version = family === undefined ? undefined : family === 'ipv6' ? 6 : 4;
    return [await findSubnet(tx, { ...query, version }, field)];
  }
  const first = await findSubnet(tx, query, field);
  const { subnetId: _named, ...rest } = query;
  const other = { ...rest, networkId: first.network.id, version: first.version === 4 ? 6 : 4 } as const;
  const second = await findSubnet(tx, other, field);
  return first.version === 4 ? [first, second] : [second, first];
}

/** Read once it is kept: a deletion that this waited for is seen. */
async function keptNetwork(tx: Tx, id: string, scope: Scope): Promise<NetworkRow> {
  const network = await readNetwork(tx, id, scope);
  if (network.external) return network;
  await keepNetwork(tx, id);
  return readNetwork(tx, id, scope);
}

function isIn(cidr: string, address: string): boolean {
  const range = parseRange(cidr);
  return range !== undefined && rangeContains(range, address);
}

/** The network's subnets, oldest first. */
async function lockSubnets(tx: Tx, network: NetworkRow): Promise<Candidate[]> {
  // Nobody can delete the region's own, and locks on what everybody uses would only cost.
  const lock = network.external ? '' : ' for key share';
  return tx.rows<Candidate>(sql`select s.id, s.network_id, s.cidr, s.gateway_ip as gateway, family(s.cidr) as version, s.task_id from subnets s
      where s.network_id = ${network.id} order by s.created_at, s.id${raw(lock)}`);
}

/** Where an address of a subnet is unique: addresses that nothing can bind are their network's business alone.
 *  @param provider of the region, if it gives addresses at all */
export function spaceOf({ network, cidr }: AddressSubnet, provider: AddressProvider | undefined): string {
  if (network.external) return WHOLE_REGION;
  const own = provider?.separateNetworks || (provider?.subnetFault?.(cidr) ?? null) !== null;
  return own ? network.id : WHOLE_REGION;
}

/** A subnet as those see it who give its addresses away. */
export async function readSource(db: Queryable, subnetId: string): Promise<AddressSource | undefined> {
  return db.row<AddressSource>(sql`select s.id as "subnetId", s.network_id as "networkId", s.cidr, s.gateway_ip as gateway, n.external from subnets s join networks n on n.id = s.network_id
      where s.id = ${subnetId}`);
}

/** Every address that somebody has, in the whole region or in the network that has its addresses to itself. */
export async function readAddressesInUse(
  db: Queryable,
  regionId: number,
  space: string = WHOLE_REGION,
): Promise<ReadonlySet<string>> {
  const rows = await db.rows<{ address: string }>(
    sql`select address from region_addresses where region_id = ${regionId} and space = ${space}`,
  );
  return new Set(rows.map((row) => row.address));
}

/** @throws NotFound for the first subnet that the project may not use */
export async function requireSubnets(db: Queryable, ids: readonly string[], scope: Scope): Promise<void> {
  for (const id of new Set(ids)) await readSubnet(db, id, scope);
}

/** SQL for the id of the subnet in which a region gives addresses to whatever asks for no other; the region's id is
 *  to follow. Nobody can rename it. */
export const EXTERNAL_SUBNET_OF = sql`select s.id from subnets s join networks n on n.id = s.network_id where n.external and s.name = 'external' and n.region_id =`;
