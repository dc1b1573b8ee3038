import { type RowOf, SCOPE_COLUMNS } from '../../../platform/database/rows.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';

/** What a port may belong to. */
export const DEVICE_TYPES = ['instance', 'load_balancer', 'router'] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

export interface Device {
  readonly type: DeviceType;
  readonly id: string;
}

export interface IpAssignment {
  readonly ip_address: string;
  readonly subnet_id: string;
}

export interface AddressPair {
  /** An address or a network. */
  readonly ip_address: string;
}

/** What a client can change of a port without giving it other addresses. */
const SETTINGS = ['port_security_enabled', 'security_group_ids', 'allowed_address_pairs', 'tags'] as const;

export const PORT_COLUMNS = [
  ...SCOPE_COLUMNS,
  'network_id',
  'device_type',
  'device_id',
  'interface_name',
  'reserved',
  'managed_by',
  'task_id',
  'created_at',
  'updated_at',
  ...SETTINGS,
] as const;

interface Narrowed {
  readonly device_type: DeviceType | null;
  readonly managed_by: 'system' | 'user';
  readonly security_group_ids: readonly string[];
  readonly allowed_address_pairs: readonly AddressPair[];
  readonly tags: StoredTags;
}

/** `reserved`: a reserved fixed IP, which stays when its device goes. */
export interface PortRow extends RowOf<'ports', typeof PORT_COLUMNS, Narrowed> {
  /** IPv4 first. */
  readonly ip_assignments: readonly IpAssignment[];
}

export type PortSettings = Pick<PortRow, (typeof SETTINGS)[number]>;

/** "load balancer 42", for messages. */
export function deviceText({ type, id }: Device): string {
  return `${type.replace('_', ' ')} ${id}`;
}

export function deviceOf(port: Pick<PortRow, 'device_type' | 'device_id'>): Device | null {
  const { device_type: type, device_id: id } = port;
  return type === null || id === null ? null : { type, id };
}
