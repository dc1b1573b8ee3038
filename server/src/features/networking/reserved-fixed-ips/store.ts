import { NotFound } from '../../../kernel/errors.ts';
import { constraintOf, type Tx } from '../../../platform/database/db.ts';
import { heldTable } from '../../../platform/database/held-table.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { type Sql, sql } from '../../../platform/database/sql.ts';
import type { Scoped } from '../../../platform/http/context.ts';
import { given, type StoreAddress, storingAddress } from '../addresses/index.ts';
import { PORTS_OF_NEWLY_RESERVED, PORTS_OF_UNRESERVED } from '../ports/index.ts';
import { COLUMNS, type ReservedIpRow } from './model.ts';

/** The ports `c` of instances that share reserved fixed IP `r`. */
export const SHARED_BY = sql`from ports c where c.network_id = r.network_id and c.device_type = 'instance'
  and c.allowed_address_pairs <> '[]'
  and c.allowed_address_pairs @> jsonb_build_array(jsonb_build_object('ip_address', host(r.ip_address)))`;

/** Of a reserved fixed IP `r` and its port `p`. */
export const SHOWN = sql`${listOf(COLUMNS, 'r')}, coalesce(r.task_id, p.task_id) as task_id,
  (select family(s.cidr) from subnets s where s.id = r.subnet_id) as ip_version,
  p.device_type, p.device_id, p.allowed_address_pairs,
  case when r.is_vip then array(select distinct c.device_id ${SHARED_BY}) else '{}' end as shared_by`;
export const PORT_OF = sql`join ports p on p.id = r.port_id`;

/** A task that holds the port holds it, too. */
export const {
  read: readReservedIp,
  lockFree: lockFreeReservedIp,
  readHeld,
  hold: holdReservedIp,
  release: releaseReservedIps,
} = heldTable<ReservedIpRow>('reserved_fixed_ips', 'Reserved fixed IP', {
  columns: SHOWN,
  alias: 'r',
  joins: PORT_OF,
  key: 'port_id',
  readAfterLock: true,
});

/** Where a second address is, which is null until it is given. */
export interface AdditionalAddress {
  readonly subnetId: string;
  readonly space: string;
  readonly address: string | null;
}

export interface NewReservedIp extends Scoped {
  readonly clientId: number;
  readonly networkId: string;
  readonly subnetId: string;
  readonly space: string;
  readonly address: string | null;
  /** null: it has one address only. */
  readonly additional: AdditionalAddress | null;
  readonly isExternal: boolean;
  readonly isVip: boolean;
  readonly name: string;
  readonly taskId: string;
  readonly timestamp: string;
}

const insertion = (row: NewReservedIp): Sql => sql`
  with added as (
    insert into reserved_fixed_ips (port_id, project_id, region_id, client_id, network_id, subnet_id, space,
           ip_address, is_external, is_vip, name, task_id, creator_task_id, created_at, updated_at,
           additional_subnet_id, additional_space, additional_address)
    values (${row.id}, ${row.projectId}, ${row.regionId}, ${row.clientId}, ${row.networkId}, ${row.subnetId}, ${row.space},
           ${row.address}, ${row.isExternal}, ${row.isVip}, ${row.name}, ${row.taskId}, ${row.taskId}, ${row.timestamp}, ${row.timestamp},
           ${row.additional?.subnetId ?? null}, ${row.additional?.space ?? null}, ${row.additional?.address ?? null})
    returning *),
  ${PORTS_OF_NEWLY_RESERVED},
  ${given(sql`
    select region_id, space, ip_address as address, port_id as owner_id, subnet_id from added
     union all
    select region_id, additional_space, additional_address, port_id, additional_subnet_id from added`)}
  select`;

/** @returns false when the port is reserved already, or something has the address */
export async function insertReservedIp(tx: Tx, row: NewReservedIp): Promise<boolean> {
  try {
    await tx.run(insertion(row));
    return true;
  } catch (error) {
    const constraint = constraintOf(error);
    if (constraint === 'region_addresses_pkey' || constraint === 'reserved_fixed_ips_pkey') return false;
    throw error;
  }
}

/** A load balancer's port, with its address; locked against its deletion. */
export interface UsedPort {
  readonly load_balancer_id: string;
  readonly vip_address: string | null;
  readonly vip_subnet_id: string | null;
  readonly vip_space: string;
  readonly additional_address: string | null;
  readonly additional_subnet_id: string | null;
  readonly additional_space: string | null;
}

/** @throws NotFound when no load balancer of the project has the port */
export async function lockUsedPort(tx: Tx, { id, projectId, regionId }: Scoped): Promise<UsedPort> {
  const [row] =
    await tx.rows<UsedPort>(sql`select id as load_balancer_id, vip_address, vip_subnet_id, vip_space, additional_address,
            additional_subnet_id, additional_space
       from load_balancers
      where vip_port_id = ${id} and project_id = ${projectId} and region_id = ${regionId} for update`);
  if (!row) throw new NotFound(`Port ${id} was not found`);
  return row;
}

export type AddressColumn = 'ip_address' | 'additional_address';

const ROW = { table: 'reserved_fixed_ips', key: 'port_id', owner: 'port_id' };

/** Each stores an address that is not there yet. */
export const storeReservedAddress: Readonly<Record<AddressColumn, StoreAddress>> = {
  ip_address: storingAddress({ ...ROW, address: 'ip_address', space: 'space', subnet: 'subnet_id' }),
  additional_address: storingAddress({
    ...ROW,
    address: 'additional_address',
    space: 'additional_space',
    subnet: 'additional_subnet_id',
  }),
};

export async function changeReservedIp(tx: Tx, id: string, isVip: boolean, timestamp: string): Promise<void> {
  await tx.run(
    sql`update reserved_fixed_ips set is_vip = ${isVip}, updated_at = ${timestamp} where port_id = ${id} and is_vip <> ${isVip}`,
  );
}

/** A floating IP that leads to the port. */
export async function floatingIpOf(tx: Tx, id: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ id: string }>(sql`select id from floating_ips where port_id = ${id} limit 1`);
  return row?.id;
}

/** SQL that removes reserved fixed IPs, with what nothing else has of them.
 *  @param columns what it answers of each */
export const deleted = (condition: Sql, columns: Sql): Sql => sql`
  with gone as (delete from reserved_fixed_ips where ${condition} returning *), ${PORTS_OF_UNRESERVED}
  select ${columns} from gone`;

/** Removes it while the task holds it.
 *  @returns how many external addresses it had; undefined when there was nothing to remove */
export async function deleteReservedIp(tx: Tx, id: string, taskId: string): Promise<number | undefined> {
  const row = await tx.row<Pick<ReservedIpRow, 'is_external' | 'additional_subnet_id'>>(
    deleted(sql`port_id = ${id} and task_id = ${taskId}`, sql`is_external, additional_subnet_id`),
  );
  if (!row) return undefined;
  return row.is_external ? externalAddresses(row.additional_subnet_id !== null) : 0;
}

/** What an external reserved fixed IP uses of the quota. */
export const externalAddresses = (isDual: boolean): number => (isDual ? 2 : 1);
