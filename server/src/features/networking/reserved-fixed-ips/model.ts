import { Conflict } from '../../../kernel/errors.ts';
import { type AddressPair, type DeviceType, deviceOf, deviceText } from '../ports/index.ts';

export interface ReservedIpRow {
  readonly port_id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly client_id: number;
  readonly network_id: string;
  readonly subnet_id: string;
  readonly space: string;
  /** Of its (first) address. */
  readonly ip_version: 4 | 6;
  readonly ip_address: string | null;
  /** Of one with two addresses, the second, which is IPv6; its subnet is null for all others. */
  readonly additional_address: string | null;
  readonly additional_subnet_id: string | null;
  readonly additional_space: string | null;
  readonly is_external: boolean;
  readonly is_vip: boolean;
  readonly name: string;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** What has it now. */
  readonly device_type: DeviceType | null;
  readonly device_id: string | null;
  readonly allowed_address_pairs: readonly AddressPair[];
  /** Instances that may have its address beside their own. */
  readonly shared_by: readonly string[];
}

/** @throws Conflict naming what has it */
export function requireUnused(row: Pick<ReservedIpRow, 'port_id' | 'device_type' | 'device_id'>): void {
  const device = deviceOf(row);
  if (device) throw new Conflict(`Reserved fixed IP ${row.port_id} is in use by ${deviceText(device)}`);
}

/** @throws Conflict naming the instances that share it */
export function requireUnshared(row: Pick<ReservedIpRow, 'port_id' | 'shared_by'>): void {
  if (row.shared_by.length === 0) return;
  throw new Conflict(
    `Reserved fixed IP ${row.port_id} is shared by instances ${row.shared_by.join(', ')}; disconnect them first`,
  );
}
