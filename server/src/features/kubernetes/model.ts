import type { CreateCluster, UpdateCluster } from './schema-input.ts';
import type { Oidc } from './schema-parts.ts';
import { type Cni, completeCni, completeLogging, type DdosInput, type LoggingInput } from './schema-parts.ts';
import type { ClusterStatus, NodeState, PoolState } from './states.ts';

export interface Slurm {
  readonly enabled: boolean;
  readonly file_share_id: string | null;
  readonly ssh_key_ids: readonly string[] | null;
  readonly worker_count: number | null;
}

/** What a cluster was asked to be like. */
export interface ClusterSettings {
  readonly slurm: Slurm;
  readonly oidc: Oidc | null;
  readonly autoscaler_config: Readonly<Record<string, string>> | null;
  readonly cni: Cni;
  readonly vast_enabled: boolean;
  /** Absent of clusters of before it was kept, like the two below. */
  readonly ddn_enabled?: boolean;
  /** The network and subnet as they were asked for; empty or null: none. */
  readonly fixed_network?: string | null;
  readonly fixed_subnet?: string | null;
  readonly ddos_profile: DdosInput | null;
  readonly is_ipv6: boolean;
  readonly logging: ReturnType<typeof completeLogging>;
  readonly pods_ip_pool: string;
  readonly services_ip_pool: string;
  readonly pods_ipv6_pool: string | null;
  readonly services_ipv6_pool: string | null;
}

export interface ClusterRow {
  readonly id: string;
  readonly client_id: number;
  readonly project_id: number;
  readonly region_id: number;
  readonly name: string;
  readonly version: string;
  readonly control_plane_version: string | null;
  readonly status: ClusterStatus;
  readonly keypair: string;
  readonly ssh_public_key: string;
  readonly settings: ClusterSettings;
  readonly network_id: string;
  readonly subnet_id: string;
  /** The same when it is one of the project's; null: the cluster has a network to itself. */
  readonly fixed_subnet_id: string | null;
  readonly api_address: string;
  readonly ca_certificate: string;
  readonly client_certificate: string;
  readonly key_id: string;
  readonly sealed_ca_key: Buffer;
  readonly sealed_client_key: Buffer;
  readonly kubeconfig_created_at: Date;
  readonly kubeconfig_expires_at: Date;
  readonly node_serial: number;
  readonly upgrade_attempts: number;
  readonly task_id: string | null;
  readonly creator_task_id: string;
  readonly created_at: Date;
}

export interface PoolRow {
  readonly id: string;
  readonly cluster_id: string;
  readonly name: string;
  readonly flavor_id: string;
  readonly node_count: number;
  readonly min_node_count: number;
  readonly max_node_count: number | null;
  readonly boot_volume_size: number;
  readonly boot_volume_type: string;
  readonly is_public_ipv4: boolean;
  readonly auto_healing_enabled: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: Readonly<Record<string, string>>;
  readonly crio_config: Readonly<Record<string, string>>;
  readonly kubelet_config: Readonly<Record<string, string>>;
  readonly security_group_ids: readonly string[];
  /** Whether any were named, be it none. */
  readonly names_security_groups: boolean;
  readonly servergroup_id: string | null;
  readonly servergroup_policy: string | null;
  readonly state: PoolState;
  readonly created_at: Date;
}

export interface NodeRow {
  readonly id: string;
  readonly number: number;
  readonly cluster_id: string;
  readonly pool_id: string;
  readonly name: string;
  readonly version: string;
  readonly state: NodeState;
  readonly private_ip: string;
  readonly state_since: Date;
}

export const NO_SLURM: Slurm = {
  enabled: false,
  file_share_id: null,
  ssh_key_ids: null,
  worker_count: null,
};

export const PODS_IP_POOL = '172.16.0.0/18';
export const SERVICES_IP_POOL = '172.24.0.0/18';

export function settingsOf(input: CreateCluster): ClusterSettings {
  return {
    slurm: input.add_ons?.slurm ?? NO_SLURM,
    oidc: input.authentication?.oidc ?? null,
    autoscaler_config: input.autoscaler_config ?? null,
    cni: completeCni(input.cni),
    vast_enabled: input.csi?.nfs?.vast_enabled ?? false,
    ddn_enabled: input.csi?.nfs?.ddn_enabled ?? false,
    fixed_network: input.fixed_network ?? null,
    fixed_subnet: input.fixed_subnet ?? null,
    ddos_profile: completeDdos(input.ddos_profile),
    is_ipv6: input.is_ipv6 ?? false,
    logging: completeLogging(input.logging),
    pods_ip_pool: input.pods_ip_pool ?? PODS_IP_POOL,
    services_ip_pool: input.services_ip_pool ?? SERVICES_IP_POOL,
    pods_ipv6_pool: input.pods_ipv6_pool ?? (input.is_ipv6 ? 'fd00:1::/64' : null),
    services_ipv6_pool: input.services_ipv6_pool ?? (input.is_ipv6 ? 'fd00:2::/108' : null),
  };
}

/** The settings after a change; what is not named stays, null resets. */
export function changedSettings(now: ClusterSettings, input: UpdateCluster): ClusterSettings {
  const given = <T>(value: T | undefined, next: (value: T) => unknown) =>
    value === undefined ? undefined : next(value);
  const changes = {
    slurm: given(input.add_ons?.slurm, (slurm) => (slurm.enabled ? slurm : NO_SLURM)),
    oidc: given(input.authentication, (authentication) => authentication?.oidc ?? null),
    autoscaler_config: given(input.autoscaler_config, (config) => config),
    cni: given(input.cni, (cni) => (cni === null ? now.cni : completeCni({ ...now.cni, ...cni }))),
    ddos_profile: given(input.ddos_profile, completeDdos),
    logging: given(input.logging, (logging: LoggingInput | null) => completeLogging(logging)),
  };
  const made = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...now, ...(Object.fromEntries(made) as Partial<ClusterSettings>) };
}

function completeDdos(input: DdosInput | null | undefined): DdosInput | null {
  if (!input) return null;
  return {
    enabled: input.enabled,
    fields: (input.fields ?? []).map((field) => ({
      base_field: field.base_field,
      field_value: field.field_value ?? null,
    })),
    profile_template: input.profile_template ?? null,
    profile_template_name: input.profile_template_name ?? null,
  };
}
