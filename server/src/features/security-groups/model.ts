import type { Place } from '../../platform/http/context.ts';
import type { StoredTags } from '../../platform/http/tags.ts';

export const DIRECTIONS = ['egress', 'ingress'] as const;
export const ETHERTYPES = ['IPv4', 'IPv6'] as const;
export const PROTOCOLS = [
  'ah',
  'dccp',
  'egp',
  'esp',
  'gre',
  'icmp',
  'igmp',
  'ipencap',
  'ipip',
  'ipv6-encap',
  'ipv6-frag',
  'ipv6-icmp',
  'ipv6-nonxt',
  'ipv6-opts',
  'ipv6-route',
  'ospf',
  'pgm',
  'rsvp',
  'sctp',
  'tcp',
  'udp',
  'udplite',
  'vrrp',
] as const;

/** What a rule lets through. */
export interface RuleMatch {
  readonly direction: (typeof DIRECTIONS)[number];
  readonly ethertype: (typeof ETHERTYPES)[number];
  /** null: any. */
  readonly protocol: (typeof PROTOCOLS)[number] | null;
  /** Of ICMP: the type and the code. */
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_group_id: string | null;
  readonly remote_ip_prefix: string | null;
}

export interface Rule extends RuleMatch {
  readonly id: string;
  readonly description: string;
  /** UTC without a zone. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** What of a group can be changed. */
export interface GroupTraits {
  readonly name: string;
  readonly description: string;
  readonly tags: StoredTags;
  readonly rules: readonly Rule[];
}

export interface GroupRow extends GroupTraits {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly client_id: number;
  readonly is_default: boolean;
  readonly revision_number: number;
  readonly task_id: string | null;
  readonly deleting: boolean;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type { Place };

/** Rules that a group may have. */
export const MAX_RULES = 250;
