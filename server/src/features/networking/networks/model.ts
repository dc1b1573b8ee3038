import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../../platform/database/rows.ts';
import type { Scope } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';

export const NETWORK_TYPES = ['vlan', 'vxlan'] as const;
export type NetworkType = (typeof NETWORK_TYPES)[number];

export const NETWORK_COLUMNS = [
  ...SCOPE_COLUMNS,
  'name',
  'type',
  'segmentation_id',
  'mtu',
  'external',
  'tags',
  ...CHANGE_COLUMNS,
] as const;

/** Without a project: the region's own network, which every project may use. */
export interface NetworkRow extends RowOf<'networks', typeof NETWORK_COLUMNS, { tags: StoredTags }> {
  /** Ids of its subnets, oldest first. */
  readonly subnet_ids: readonly string[];
}

export interface HostRoute {
  readonly destination: string;
  readonly nexthop: string;
}

export const SUBNET_COLUMNS = [
  'id',
  'network_id',
  'project_id',
  'region_id',
  'name',
  'cidr',
  'gateway_ip',
  'enable_dhcp',
  'dns_nameservers',
  'host_routes',
  'total_ips',
  'tags',
  ...CHANGE_COLUMNS,
] as const;

interface Narrowed {
  readonly dns_nameservers: readonly string[] | null;
  readonly host_routes: readonly HostRoute[] | null;
  readonly tags: StoredTags;
}

/** `total_ips` are the addresses that can be given; null: not counted. */
export interface SubnetRow extends RowOf<'subnets', typeof SUBNET_COLUMNS, Narrowed> {
  /** Those that are not given yet; null: not counted. */
  readonly available_ips: number | null;
}

export type { Scope };
