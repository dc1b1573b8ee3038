import type { Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scoped } from '../../../platform/http/context.ts';
import { findSubnet } from '../networks/index.ts';
import { requireUnshared, requireUnused } from './model.ts';
import { lockFreeReservedIp } from './store.ts';

/** An address of a reserved fixed IP, as a load balancer claims it. */
export interface ClaimedAddress {
  readonly address: string;
  readonly isExternal: boolean;
  readonly subnetId: string;
  readonly cidr: string;
  readonly space: string;
}

/** Locks a reserved fixed IP for something that is to have its port.
 *  @returns its address, or two of them: then the first is IPv4, the second IPv6
 *  @throws NotFound, Conflict when a task holds it or something has it */
export async function claimReservedIp(
  tx: Tx,
  where: Scoped,
): Promise<readonly [ClaimedAddress, ClaimedAddress?]> {
  const row = await lockFreeReservedIp(tx, where.id, where);
  requireUnused(row);
  requireUnshared(row);
  const claimOne = async (
    address: string | null,
    subnetId: string,
    space: string,
  ): Promise<ClaimedAddress> => {
    const { cidr } = await findSubnet(tx, { ...where, subnetId }, 'vip_port_id');
    return { address: address ?? '', isExternal: row.is_external, subnetId, cidr, space };
  };
  const { additional_subnet_id: secondId, additional_space: secondSpace } = row;
  const first = await claimOne(row.ip_address, row.subnet_id, row.space);
  if (secondId === null || secondSpace === null) return [first];
  return [first, await claimOne(row.additional_address, secondId, secondSpace)];
}

/** Columns with the addresses that are reserved for the port of load balancer `lb`, while it does not have them. */
export const RESERVED_ADDRESS_OF_LB = sql`case when lb.vip_address is null then (
    select host(r.ip_address) from reserved_fixed_ips r where r.port_id = lb.vip_port_id) end as reserved_address,
  case when lb.additional_subnet_id is not null and lb.additional_address is null then (
    select host(r.additional_address) from reserved_fixed_ips r where r.port_id = lb.vip_port_id)
  end as reserved_additional`;
