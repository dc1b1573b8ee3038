import type { Place } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';

export const NETWORK_TYPES = ['vlan', 'vxlan'] as const;
export type NetworkType = (typeof NETWORK_TYPES)[number];

export interface NetworkRow {
  readonly id: string;
  /** null: the region's own network, which every project may use. */
  readonly project_id: number | null;
  readonly region_id: number;
  readonly name: string;
  readonly type: string;
  readonly segmentation_id: number | null;
  readonly mtu: number;
  readonly external: boolean;
  readonly tags: StoredTags;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Ids of its subnets, oldest first. */
  readonly subnet_ids: readonly string[];
}

export interface HostRoute {
  readonly destination: string;
  readonly nexthop: string;
}

export interface SubnetRow {
  readonly id: string;
  readonly network_id: string;
  readonly project_id: number | null;
  readonly region_id: number;
  readonly name: string;
  readonly cidr: string;
  readonly gateway_ip: string | null;
  readonly enable_dhcp: boolean;
  readonly dns_nameservers: readonly string[] | null;
  readonly host_routes: readonly HostRoute[] | null;
  /** Addresses that can be given away, and those that are not yet; null: not counted. */
  readonly total_ips: number | null;
  readonly available_ips: number | null;
  readonly tags: StoredTags;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type { Place };
