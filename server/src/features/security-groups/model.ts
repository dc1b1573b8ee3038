import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../platform/database/rows.ts';
import type { Scope } from '../../platform/http/context.ts';
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
const TRAITS = ['name', 'description', 'tags', 'rules'] as const;

export const COLUMNS = [
  ...SCOPE_COLUMNS,
  'client_id',
  'is_default',
  'revision_number',
  'deleting',
  ...TRAITS,
  ...CHANGE_COLUMNS,
] as const;

export type GroupRow = RowOf<'security_groups', typeof COLUMNS, { tags: StoredTags; rules: readonly Rule[] }>;
export type GroupTraits = Pick<GroupRow, (typeof TRAITS)[number]>;

export type { Scope };

/** Rules that a group may have. */
export const MAX_RULES = 250;
