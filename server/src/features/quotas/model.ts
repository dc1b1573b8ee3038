/** Quota names and the limits a new client starts with. A name counts per region unless it is global. */
export const REGIONAL_DEFAULTS = {
  loadbalancer_count: 1000,
  floating_count: 1000,
  external_ip_count: 1000,
  laas_topic_count: 100,
  network_count: 1000,
  subnet_count: 1000,
  secret_count: 1000,
  cluster_count: 100,
  cpu_count: 10_000,
  ram: 40_960_000,
  vm_count: 5000,
  volume_count: 5000,
  volume_size: 1_000_000,
  servergroup_count: 100,
  gpu_virtual_a100_count: 100,
  gpu_virtual_h100_count: 100,
} as const;

export const GLOBAL_DEFAULTS = {
  project_count: 1000,
  keypair_count: 1000,
} as const;

export type RegionalQuota = keyof typeof REGIONAL_DEFAULTS;
export type GlobalQuota = keyof typeof GLOBAL_DEFAULTS;
export type QuotaName = RegionalQuota | GlobalQuota;

/** Stands for "all regions" in the counters. */
export const GLOBAL_REGION = 0;

export function defaultLimit(name: QuotaName): number {
  return { ...REGIONAL_DEFAULTS, ...GLOBAL_DEFAULTS }[name];
}

export interface QuotaScope {
  readonly clientId: number;
  /** 0 for global quotas. */
  readonly regionId: number;
}

export type Amounts = Partial<Record<QuotaName, number>>;

export interface Quota {
  readonly limit: number;
  readonly usage: number;
}
