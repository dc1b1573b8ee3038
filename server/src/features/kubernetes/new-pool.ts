import type { RegionContext } from '../../platform/http/context.ts';
import { DEFAULT_VOLUME_GIB } from './amounts.ts';
import type { CreatePool } from './schema-input.ts';

/** The row of a pool as it was asked for. It starts at its lower bound. */
export function newPool(ctx: RegionContext, clusterId: string, input: CreatePool) {
  return {
    id: ctx.ids.uuid(),
    cluster_id: clusterId,
    name: input.name,
    flavor_id: input.flavor_id,
    node_count: input.min_node_count,
    min_node_count: input.min_node_count,
    max_node_count: input.max_node_count,
    boot_volume_size: input.boot_volume_size ?? DEFAULT_VOLUME_GIB,
    boot_volume_type: input.boot_volume_type ?? 'standard',
    is_public_ipv4: input.is_public_ipv4 ?? false,
    auto_healing_enabled: input.auto_healing_enabled ?? false,
    labels: input.labels ?? {},
    taints: input.taints ?? {},
    crio_config: input.crio_config ?? {},
    kubelet_config: input.kubelet_config ?? {},
    security_group_ids: input.security_group_ids ?? [],
    names_security_groups: input.security_group_ids !== undefined,
    servergroup_id: input.servergroup_policy ? ctx.ids.uuid() : null,
    servergroup_policy: input.servergroup_policy,
    timestamp: ctx.clock.timestamp(),
  };
}
