import type { Queryable, Tx } from '../../../../platform/database/db.ts';
import { heldTable } from '../../../../platform/database/held-table.ts';
import { listOf } from '../../../../platform/database/rows.ts';
import type { StoredTags } from '../../../../platform/http/tags.ts';
import { type HostRoute, type Place, SUBNET_COLUMNS, type SubnetRow } from '../model.ts';
import { AVAILABLE_IPS } from './counts.ts';

/** Of a subnet `s`. */
export const SHOWN_SUBNET = `${listOf(SUBNET_COLUMNS, 's')}, ${AVAILABLE_IPS} as available_ips`;

const held = heldTable<SubnetRow>('subnets', 'Subnet', { columns: SHOWN_SUBNET, alias: 's', shared: true });

/** A subnet that the project may use: its own or the region's. @throws NotFound */
export const readSubnet = held.read;
/** The project's own subnet, locked against every other change and against new users. @throws NotFound */
export const lockSubnet = held.lock;
/** The same, when no task holds it. @throws NotFound, Locked */
export const lockFreeSubnet = held.lockFree;
/** Gives the lock to a task. */
export const holdSubnet = held.hold;
/** Ends the task's hold. */
export const releaseSubnets = held.release;
/** Removes it while the task holds it.
 *  @returns whether there was anything to remove */
export const deleteSubnet = held.deleteHeld;

export interface NewSubnet extends Place {
  readonly id: string;
  readonly networkId: string;
  readonly clientId: number;
  readonly name: string;
  readonly cidr: string;
  readonly gateway: string | null;
  readonly enableDhcp: boolean;
  readonly nameServers: readonly string[] | null;
  readonly hostRoutes: readonly HostRoute[] | null;
  readonly totalIps: number;
  readonly tags: StoredTags;
  readonly taskId: string;
  readonly timestamp: string;
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

export async function insertSubnet(tx: Tx, subnet: NewSubnet): Promise<void> {
  await tx.named(
    'subnet_insert',
    `insert into subnets (id, network_id, project_id, region_id, client_id, name, cidr, gateway_ip, enable_dhcp,
            dns_nameservers, host_routes, total_ips, tags, task_id, creator_task_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $15)`,
    [
      subnet.id,
      subnet.networkId,
      subnet.projectId,
      subnet.regionId,
      subnet.clientId,
      subnet.name,
      subnet.cidr,
      subnet.gateway,
      subnet.enableDhcp,
      json(subnet.nameServers),
      json(subnet.hostRoutes),
      subnet.totalIps,
      JSON.stringify(subnet.tags),
      subnet.taskId,
      subnet.timestamp,
    ],
  );
}

/** A subnet of the network with addresses of this range; the caller holds the network's row. */
export async function overlapping(tx: Tx, networkId: string, cidr: string): Promise<SubnetRow | undefined> {
  return tx.namedRow<SubnetRow>(
    'subnet_overlapping',
    `select ${SHOWN_SUBNET} from subnets s where s.network_id = $1 and s.cidr && $2::inet order by s.cidr limit 1`,
    [networkId, cidr],
  );
}

/** The subnets of these networks, oldest first. */
export async function readSubnetsOf(db: Queryable, networkIds: readonly string[]): Promise<SubnetRow[]> {
  if (networkIds.length === 0) return [];
  return db.named<SubnetRow>(
    'subnets_of_networks',
    `select ${SHOWN_SUBNET} from subnets s where s.network_id = any($1::uuid[]) order by s.created_at, s.id`,
    [[...new Set(networkIds)]],
  );
}

/** Those of these that exist, in any order. */
export async function readSubnets(db: Queryable, ids: readonly string[]): Promise<SubnetRow[]> {
  if (ids.length === 0) return [];
  return db.named<SubnetRow>(
    'subnet_get_many',
    `select ${SHOWN_SUBNET} from subnets s where s.id = any($1::uuid[])`,
    [[...new Set(ids)]],
  );
}

/** Whether something in the subnet has this address. */
export async function isGiven(tx: Tx, subnetId: string, address: string): Promise<boolean> {
  return tx.namedAny(
    'subnet_address_given',
    'select 1 from region_addresses where subnet_id = $1 and address = $2::inet',
    [subnetId, address],
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
  await tx.named(
    'subnet_change',
    // Something may have the address of the new gateway, or of the old one.
    `with noted as (
       insert into subnet_changes (subnet_id, addresses, ports)
       select id, 0, 0 from subnets where id = $1 and gateway_ip is distinct from $3::inet)
     update subnets set name = $2, gateway_ip = $3, enable_dhcp = $4, dns_nameservers = $5, host_routes = $6,
            total_ips = $7, tags = $8, updated_at = $9
      where id = $1`,
    [
      id,
      settings.name,
      settings.gateway,
      settings.enableDhcp,
      json(settings.nameServers),
      json(settings.hostRoutes),
      settings.totalIps,
      JSON.stringify(settings.tags),
      timestamp,
    ],
  );
}

/** The subnets of the networks that regions have of their own. */
export async function readExternalRanges(db: Queryable): Promise<string[]> {
  const rows = await db.named<{ cidr: string }>(
    'subnets_external',
    `select distinct s.cidr::text as cidr from subnets s join networks n on n.id = s.network_id
      where n.external and n.project_id is null order by 1`,
    [],
  );
  return rows.map(({ cidr }) => cidr);
}
