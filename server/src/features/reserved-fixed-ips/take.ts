import type { Tx } from '../../platform/database/db.ts';
import { findPlace } from '../networks/index.ts';
import { requireIdle, requireUnshared, requireUnused } from './model.ts';
import { lockReservedIp, type Where } from './store.ts';

/** A reserved fixed IP, as a load balancer takes it. */
export interface TakenPort {
  readonly address: string;
  /** null: the region's own subnet. */
  readonly subnetId: string | null;
  readonly cidr: string;
  readonly space: string;
}

/** Locks a reserved fixed IP for something that is going to have its port.
 *  @throws NotFound, Conflict when a task holds it or something has it */
export async function takeReservedIp(tx: Tx, where: Where): Promise<TakenPort> {
  const row = await lockReservedIp(tx, where);
  requireIdle(row);
  requireUnused(row);
  requireUnshared(row);
  const place = await findPlace(tx, { ...where, subnetId: row.subnet_id }, 'vip_port_id');
  return {
    address: row.ip_address ?? '',
    subnetId: row.is_external ? null : row.subnet_id,
    cidr: place.cidr,
    space: row.space,
  };
}

/** A column with the address that is reserved for the port of load balancer `lb`, while that has none. */
export const RESERVED_ADDRESS_OF_LB = `case when lb.vip_address is null then (
    select host(r.ip_address) from reserved_fixed_ips r where r.port_id = lb.vip_port_id) end as reserved_address`;
