/** What is metered: its kind on the wire, what of it can be filtered by, and whether it is paid by size. */
interface Kind {
  readonly fields: readonly string[];
  /** Whether minutes count for each GiB. */
  readonly bySize?: true;
}

const NAMED = ['last_name', 'type', 'uuid'] as const;

export const KINDS = {
  external_ip: { fields: ['attached_to_vm', 'ip_address', 'network_id', 'port_id', 'subnet_id', 'type'] },
  floatingip: { fields: ['ip_address', ...NAMED] },
  image: { fields: ['last_size', ...NAMED], bySize: true },
  instance: { fields: ['flavor', ...NAMED] },
  load_balancer: { fields: ['flavor', ...NAMED] },
  snapshot: { fields: ['last_size', 'source_volume_uuid', 'volume_type', ...NAMED], bySize: true },
  volume: { fields: ['attached_to_vm', 'last_size', 'volume_type', ...NAMED], bySize: true },
} as const satisfies Record<string, Kind>;
export type MeteredKind = keyof typeof KINDS;

export const METERED = Object.keys(KINDS) as MeteredKind[];
export const BY_SIZE: readonly MeteredKind[] = METERED.filter((kind) => 'bySize' in KINDS[kind]);
export const isMetered = (type: string): type is MeteredKind => Object.hasOwn(KINDS, type);

/** What clients may ask for; what is not metered was never used. */
export const TYPES = [
  'ai_cluster',
  'ai_virtual_cluster',
  'backup',
  'baremetal',
  'basic_vm',
  'containers',
  'dbaas_postgresql_connection_pooler',
  'dbaas_postgresql_cpu',
  'dbaas_postgresql_memory',
  'dbaas_postgresql_public_network',
  'dbaas_postgresql_volume',
  'egress_traffic',
  'external_ip',
  'file_share',
  'floatingip',
  'functions',
  'functions_calls',
  'functions_traffic',
  'image',
  'inference',
  'inference_public_models',
  'instance',
  'load_balancer',
  'log_index',
  'snapshot',
  'volume',
] as const;

/** What a filter may look at, of any kind. */
export const FIELDS = [
  'attached_to_vm',
  'file_share_type',
  'flavor',
  'instance_name',
  'instance_type',
  'ip_address',
  'last_name',
  'last_size',
  'network_id',
  'port_id',
  'schedule_id',
  'source_volume_uuid',
  'subnet_id',
  'type',
  'uuid',
  'vm_id',
  'volume_type',
] as const;

export const SORTED_BY = [
  'billing_value',
  'first_seen',
  'last_name',
  'last_seen',
  'project',
  'region',
  'type',
] as const;
export type SortedBy = (typeof SORTED_BY)[number];

export const GIB = 1024 ** 3;
/** How long it is known what was used, in days. */
export const KEPT_DAYS = 400;
