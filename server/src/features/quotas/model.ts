/** Quota names, and the limits a new client starts with. */

/** Names that count over all regions. */
export const GLOBAL_NAMES = [
  'inference_cpu_millicore_count',
  'inference_gpu_a100_count',
  'inference_gpu_h100_count',
  'inference_gpu_l40s_count',
  'inference_instance_count',
  'inference_public_model_api_key_count',
  'keypair_count',
  'project_count',
] as const;

/** Names that count in each region. */
export const REGIONAL_NAMES = [
  'baremetal_basic_count',
  'baremetal_gpu_a100_count',
  'baremetal_gpu_h100_count',
  'baremetal_gpu_h200_count',
  'baremetal_gpu_l40s_count',
  'baremetal_hf_count',
  'baremetal_infrastructure_count',
  'baremetal_network_count',
  'baremetal_storage_count',
  'caas_container_count',
  'caas_cpu_count',
  'caas_gpu_count',
  'caas_ram_size',
  'cluster_count',
  'cpu_count',
  'dbaas_postgres_cluster_count',
  'external_ip_count',
  'faas_cpu_count',
  'faas_function_count',
  'faas_namespace_count',
  'faas_ram_size',
  'firewall_count',
  'floating_count',
  'gpu_count',
  'gpu_virtual_a100_count',
  'gpu_virtual_h100_count',
  'gpu_virtual_h200_count',
  'gpu_virtual_l40s_count',
  'image_count',
  'image_size',
  'ipu_count',
  'laas_topic_count',
  'loadbalancer_count',
  'network_count',
  'ram',
  'registry_count',
  'registry_storage',
  'router_count',
  'secret_count',
  'servergroup_count',
  'sfs_count',
  'sfs_size',
  'shared_vm_count',
  'snapshot_schedule_count',
  'subnet_count',
  'vm_count',
  'volume_count',
  'volume_size',
  'volume_snapshots_count',
  'volume_snapshots_size',
] as const;

/** Shown and accepted beside the regional names for older clients; nothing counts into it. */
export const DEPRECATED_REGIONAL_NAME = 'baremetal_gpu_count';

export type GlobalQuota = (typeof GLOBAL_NAMES)[number];
export type RegionalQuota = (typeof REGIONAL_NAMES)[number] | typeof DEPRECATED_REGIONAL_NAME;
export type QuotaName = RegionalQuota | GlobalQuota;

/** Where 1000 of a thing would be too few or too many to start with. Sizes are in the unit of the thing: RAM
 *  of machines in MiB, volumes and images in GiB. */
const DEFAULTS: Partial<Record<QuotaName, number>> = {
  inference_cpu_millicore_count: 1_000_000,
  laas_topic_count: 100,
  cluster_count: 100,
  cpu_count: 10_000,
  caas_cpu_count: 100_000,
  caas_ram_size: 1_000_000,
  faas_cpu_count: 100_000,
  faas_ram_size: 1_000_000,
  ram: 40_960_000,
  vm_count: 5000,
  volume_count: 5000,
  volume_size: 1_000_000,
  volume_snapshots_size: 1_000_000,
  image_size: 100_000,
  registry_storage: 100_000,
  sfs_size: 100_000,
  servergroup_count: 100,
  gpu_virtual_a100_count: 100,
  gpu_virtual_h100_count: 100,
};

/** Stands for "all regions" in the counters. */
export const GLOBAL_REGION = 0;

export function defaultLimit(name: QuotaName): number {
  return DEFAULTS[name] ?? 1000;
}

export interface QuotaScope {
  readonly clientId: number;
  /** 0 for global quotas. */
  readonly regionId: number;
}

/** Whose quota counts a resource. */
export const quotaOf = (row: { readonly client_id: number; readonly region_id: number }): QuotaScope => ({
  clientId: row.client_id,
  regionId: row.region_id,
});

export type Amounts = Partial<Record<QuotaName, number>>;

export interface Quota {
  readonly limit: number;
  readonly usage: number;
}

/** Percent. */
export const DEFAULT_THRESHOLD = 80;
export const LOWEST_THRESHOLD = 60;
export const HIGHEST_THRESHOLD = 100;
