import { zuluTime } from '../../kernel/codecs.ts';
import type { ClusterRow, NodeRow, PoolRow } from './model.ts';

function poolStatus(row: PoolRow, own: readonly NodeRow[]): string {
  if (row.state === 'DELETING') return 'Deleting';
  const there = own.filter(({ state }) => state === 'READY' || state === 'UNREADY');
  if (own.length !== row.node_count || there.length !== own.length) return 'Provisioning';
  return there.every(({ state }) => state === 'READY') ? 'Running' : 'Degraded';
}

export function viewPool(row: PoolRow, nodes: readonly NodeRow[]) {
  const own = nodes.filter(({ pool_id }) => pool_id === row.id);
  return {
    id: row.id,
    name: row.name,
    status: poolStatus(row, own),
    flavor_id: row.flavor_id,
    node_count: row.node_count,
    min_node_count: row.min_node_count,
    max_node_count: row.max_node_count ?? Math.max(row.min_node_count, row.node_count),
    boot_volume_size: row.boot_volume_size,
    boot_volume_type: row.boot_volume_type,
    is_public_ipv4: row.is_public_ipv4,
    auto_healing_enabled: row.auto_healing_enabled,
    labels: row.labels,
    taints: row.taints,
    crio_config: row.crio_config,
    kubelet_config: row.kubelet_config,
    security_group_ids: row.security_group_ids,
    servergroup_id: row.servergroup_id ?? '',
    servergroup_name: row.servergroup_id === null ? '' : `k8s-${row.name}`,
    servergroup_policy: row.servergroup_policy ?? '',
    created_at: zuluTime(row.created_at),
  };
}

/** A pool as its cluster shows it: security groups as they were asked for, since infrastructure tools, which keep pools
 *  with their cluster, regard an empty list as a difference where none was given. */
function viewPoolOfCluster(row: PoolRow, nodes: readonly NodeRow[]) {
  const pool = viewPool(row, nodes);
  return { ...pool, security_group_ids: row.names_security_groups ? pool.security_group_ids : null };
}

/** The network as it was asked for, not where the cluster came to be. */
function requestedNetwork({ settings, ...row }: ClusterRow) {
  if (settings.fixed_network !== undefined) {
    return { fixed_network: settings.fixed_network, fixed_subnet: settings.fixed_subnet ?? null };
  }
  // Of before this was kept.
  const isGiven = row.fixed_subnet_id !== null;
  return { fixed_network: isGiven ? row.network_id : '', fixed_subnet: isGiven ? row.subnet_id : '' };
}

export function viewCluster(row: ClusterRow, pools: readonly PoolRow[], nodes: readonly NodeRow[]) {
  const { settings } = row;
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    status: row.status,
    keypair: row.keypair,
    pools: pools.filter((pool) => pool.cluster_id === row.id).map((pool) => viewPoolOfCluster(pool, nodes)),
    add_ons: { slurm: settings.slurm },
    authentication: {
      kubeconfig_created_at: zuluTime(row.kubeconfig_created_at),
      kubeconfig_expires_at: zuluTime(row.kubeconfig_expires_at),
      oidc: settings.oidc,
    },
    autoscaler_config: settings.autoscaler_config,
    cni: settings.cni,
    csi: { nfs: { vast_enabled: settings.vast_enabled, ddn_enabled: settings.ddn_enabled ?? false } },
    ddos_profile: settings.ddos_profile,
    ...requestedNetwork(row),
    is_ipv6: settings.is_ipv6,
    is_public: pools.some((pool) => pool.cluster_id === row.id && pool.is_public_ipv4),
    logging: settings.logging,
    pods_ip_pool: settings.pods_ip_pool,
    services_ip_pool: settings.services_ip_pool,
    pods_ipv6_pool: settings.pods_ipv6_pool,
    services_ipv6_pool: settings.services_ipv6_pool,
    created_at: zuluTime(row.created_at),
    creator_task_id: row.creator_task_id,
    task_id: row.task_id,
  };
}
