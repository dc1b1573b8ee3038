import type { RowOf } from '../../platform/database/rows.ts';
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

export const CLUSTER_COLUMNS = [
  'id',
  'client_id',
  'project_id',
  'region_id',
  'name',
  'version',
  'control_plane_version',
  'status',
  'keypair',
  'ssh_public_key',
  'settings',
  'network_id',
  'subnet_id',
  // The subnet when it is one of the project's; null: the cluster has a network to itself.
  'fixed_subnet_id',
  'api_address',
  'ca_certificate',
  'client_certificate',
  'key_id',
  'sealed_ca_key',
  'sealed_client_key',
  'kubeconfig_created_at',
  'kubeconfig_expires_at',
  'node_serial',
  'upgrade_attempts',
  'task_id',
  'creator_task_id',
  'created_at',
  'status_reason',
] as const;

export type ClusterRow = RowOf<
  'k8s_clusters',
  typeof CLUSTER_COLUMNS,
  { status: ClusterStatus; settings: ClusterSettings }
>;

export const POOL_COLUMNS = [
  'id',
  'cluster_id',
  'name',
  'flavor_id',
  'node_count',
  'min_node_count',
  'max_node_count',
  'boot_volume_size',
  'boot_volume_type',
  'is_public_ipv4',
  'auto_healing_enabled',
  'labels',
  'taints',
  'crio_config',
  'kubelet_config',
  'security_group_ids',
  // Whether any were named, be it none.
  'names_security_groups',
  'servergroup_id',
  'servergroup_policy',
  'state',
  'created_at',
] as const;

type Texts = Readonly<Record<string, string>>;

export type PoolRow = RowOf<
  'k8s_pools',
  typeof POOL_COLUMNS,
  {
    labels: Texts;
    taints: Texts;
    crio_config: Texts;
    kubelet_config: Texts;
    security_group_ids: readonly string[];
    state: PoolState;
  }
>;

export const NODE_COLUMNS = [
  'id',
  'number',
  'cluster_id',
  'pool_id',
  'name',
  'version',
  'state',
  'private_ip',
  'state_since',
] as const;

export type NodeRow = RowOf<'k8s_nodes', typeof NODE_COLUMNS, { state: NodeState }>;

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
    autoscaler_config: input.autoscaler_config,
    cni: completeCni(input.cni),
    vast_enabled: input.csi?.nfs?.vast_enabled ?? false,
    ddn_enabled: input.csi?.nfs?.ddn_enabled ?? false,
    fixed_network: input.fixed_network,
    fixed_subnet: input.fixed_subnet,
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
    oidc: given(input.authentication, (authentication) => mergedOidc(now.oidc, authentication)),
    autoscaler_config: given(input.autoscaler_config, (config) => config),
    cni: given(input.cni, (cni) => (cni === null ? now.cni : completeCni({ ...now.cni, ...cni }))),
    ddos_profile: given(input.ddos_profile, completeDdos),
    logging: given(input.logging, (logging: LoggingInput | null) => completeLogging(logging)),
  };
  const made = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...now, ...(Object.fromEntries(made) as Partial<ClusterSettings>) };
}

/** What is not named stays; null takes a field, or all of it, away. */
function mergedOidc(now: Oidc | null, authentication: { readonly oidc?: Oidc | null } | null): Oidc | null {
  if (authentication === null || authentication.oidc === null) return null;
  return authentication.oidc === undefined ? now : { ...now, ...authentication.oidc };
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
