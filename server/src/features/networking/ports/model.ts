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
export interface PortSettings {
  readonly port_security_enabled: boolean;
  readonly security_group_ids: readonly string[];
  readonly allowed_address_pairs: readonly AddressPair[];
  readonly tags: StoredTags;
}

export interface PortRow extends PortSettings {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly network_id: string;
  readonly device_type: DeviceType | null;
  readonly device_id: string | null;
  readonly interface_name: string | null;
  /** A reserved fixed IP: it stays when its device goes. */
  readonly reserved: boolean;
  readonly managed_by: 'system' | 'user';
  readonly task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** IPv4 first. */
  readonly ip_assignments: readonly IpAssignment[];
}

/** Where a port must be: what a path or body names is looked for nowhere else. */
export interface Where {
  readonly id: string;
  readonly projectId: number;
  readonly regionId: number;
}

/** A locally administered unicast address, made of the random end of the port's id. */
export function macAddressOf(portId: string): string {
  return ['fa', ...(portId.slice(-10).match(/../g) ?? [])].join(':');
}

/** "load balancer 42", for messages. */
export function deviceText({ type, id }: Device): string {
  return `${type.replace('_', ' ')} ${id}`;
}

export function deviceOf(port: Pick<PortRow, 'device_type' | 'device_id'>): Device | null {
  const { device_type: type, device_id: id } = port;
  return type === null || id === null ? null : { type, id };
}
