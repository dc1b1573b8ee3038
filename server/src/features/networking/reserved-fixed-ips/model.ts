import { Conflict } from '../../../kernel/errors.ts';
import type { RowOf } from '../../../platform/database/rows.ts';
import { deviceOf, deviceText, type PortRow } from '../ports/index.ts';

/** Of two addresses, the `additional_` one is IPv6; its subnet is null where there is one only. */
export const COLUMNS = [
  'port_id',
  'project_id',
  'region_id',
  'client_id',
  'network_id',
  'subnet_id',
  'space',
  'ip_address',
  'additional_address',
  'additional_subnet_id',
  'additional_space',
  'is_external',
  'is_vip',
  'name',
  'creator_task_id',
  'created_at',
  'updated_at',
] as const;

export interface ReservedIpRow
  extends RowOf<'reserved_fixed_ips', typeof COLUMNS>,
    Pick<PortRow, 'device_type' | 'device_id' | 'allowed_address_pairs'> {
  /** The task that holds it or its port. */
  readonly task_id: string | null;
  /** Of its (first) address. */
  readonly ip_version: 4 | 6;
  /** Instances that may have its address beside their own. */
  readonly shared_by: readonly string[];
}

/** @throws Conflict naming what has it */
export function requireUnused(row: Pick<ReservedIpRow, 'port_id' | 'device_type' | 'device_id'>): void {
  const device = deviceOf(row);
  if (device) throw new Conflict(`Reserved fixed IP ${row.port_id} is in use by ${deviceText(device)}`);
}

/** @throws Conflict for one that several may share */
export function requireNoVip(row: Pick<ReservedIpRow, 'port_id' | 'is_vip'>): void {
  if (row.is_vip) {
    throw new Conflict(`Reserved fixed IP ${row.port_id} is a virtual IP; change is_vip to false first`);
  }
}

/** @throws Conflict naming the instances that share it */
export function requireUnshared(row: Pick<ReservedIpRow, 'port_id' | 'shared_by'>): void {
  if (row.shared_by.length === 0) return;
  throw new Conflict(
    `Reserved fixed IP ${row.port_id} is shared by instances ${row.shared_by.join(', ')}; disconnect them first`,
  );
}
