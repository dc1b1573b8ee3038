import type { Queryable, Tx } from '../../../../platform/database/db.ts';
import { heldTable } from '../../../../platform/database/held-table.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../../../platform/database/new-rows.ts';
import { listOf } from '../../../../platform/database/rows.ts';
import { sql } from '../../../../platform/database/sql.ts';
import type { StoredTags } from '../../../../platform/http/tags.ts';
import { type HostRoute, SUBNET_COLUMNS, type SubnetRow } from '../model.ts';

/** Of a subnet `s`. */
/** How many addresses are free in a subnet `s`: the gateway is not among `total_ips`, so that its address counts as free
 *  even where something has it. */
const AVAILABLE_IPS = sql`s.total_ips - (
    select count(*) from region_addresses a
     where a.subnet_id = s.id and a.address is distinct from s.gateway_ip)`;

export const SHOWN_SUBNET = sql`${listOf(SUBNET_COLUMNS, 's')}, ${AVAILABLE_IPS} as available_ips`;

/** A project may use its own subnets and the region's. One that is locked gets no new users. */
export const {
  readMany: readSubnets,
  read: readSubnet,
  lock: lockSubnet,
  lockFree: lockFreeSubnet,
  hold: holdSubnet,
  release: releaseSubnets,
  deleteHeld: deleteSubnet,
} = heldTable<SubnetRow>('subnets', 'Subnet', { columns: SHOWN_SUBNET, alias: 's', shared: true });

export interface NewSubnet extends NewResource, SubnetSettings {
  readonly networkId: string;
  readonly cidr: string;
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** What can be changed of a subnet, by its columns. */
const columnsOf = (settings: SubnetSettings) => ({
  name: settings.name,
  gateway_ip: settings.gateway,
  enable_dhcp: settings.enableDhcp,
  dns_nameservers: json(settings.nameServers),
  host_routes: json(settings.hostRoutes),
  total_ips: settings.totalIps,
  tags: JSON.stringify(settings.tags),
});

export async function insertSubnet(tx: Tx, subnet: NewSubnet): Promise<void> {
  const columns = {
    network_id: subnet.networkId,
    cidr: subnet.cidr,
    ...columnsOf(subnet),
    ...columnsOfNew(subnet),
  };
  await tx.run(insertionOf('subnets', columns));
}

/** A subnet of the network with addresses of this range; the caller holds the network's row. */
export async function overlapping(tx: Tx, networkId: string, cidr: string): Promise<SubnetRow | undefined> {
  return tx.row<SubnetRow>(
    sql`select ${SHOWN_SUBNET} from subnets s where s.network_id = ${networkId} and s.cidr && ${cidr}::inet order by s.cidr limit 1`,
  );
}

/** The subnets of these networks, oldest first. */
export async function readSubnetsOf(db: Queryable, networkIds: readonly string[]): Promise<SubnetRow[]> {
  if (networkIds.length === 0) return [];
  return db.rows<SubnetRow>(
    sql`select ${SHOWN_SUBNET} from subnets s where s.network_id = any(${[...new Set(networkIds)]}::uuid[]) order by s.created_at, s.id`,
  );
}

/** All of a region but those of its own network. */
export async function readSubnetsIn(db: Queryable, regionId: number): Promise<SubnetRow[]> {
  return db.rows<SubnetRow>(
    sql`select ${SHOWN_SUBNET} from subnets s where s.region_id = ${regionId} and s.project_id is not null`,
  );
}

/** Whether something in the subnet has this address. */
export async function isGiven(tx: Tx, subnetId: string, address: string): Promise<boolean> {
  return tx.any(
    sql`select 1 from region_addresses where subnet_id = ${subnetId} and address = ${address}::inet`,
  );
}

export interface SubnetSettings {
  readonly name: string;
  readonly gateway: string | null;
  readonly enableDhcp: boolean;
  readonly nameServers: readonly string[] | null;
  readonly hostRoutes: readonly HostRoute[] | null;
  readonly totalIps: number | null;
  readonly tags: StoredTags;
}

export async function changeSubnet(
  tx: Tx,
  id: string,
  settings: SubnetSettings,
  timestamp: string,
): Promise<void> {
  const to = columnsOf(settings);
  await tx.run(sql`update subnets set name = ${to.name}, gateway_ip = ${to.gateway_ip}, enable_dhcp = ${to.enable_dhcp}, dns_nameservers = ${to.dns_nameservers}, host_routes = ${to.host_routes},
            total_ips = ${to.total_ips}, tags = ${to.tags}, updated_at = ${timestamp}
      where id = ${id}`);
}

/** The subnets of the networks that regions have of their own. */
export async function readExternalRanges(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{
    cidr: string;
  }>(sql`select distinct s.cidr::text as cidr from subnets s join networks n on n.id = s.network_id
      where n.external and n.project_id is null order by 1`);
  return rows.map(({ cidr }) => cidr);
}
