import { Invalid } from '../../kernel/errors.ts';
import { type Flavor, findFlavor, noFlavor } from '../flavors/index.ts';
import { type Amounts, sumOf } from '../quotas/index.ts';
import type { ClusterSettings, PoolRow } from './model.ts';

/** What clusters count into quotas: what pools are meant to be. The extra node of an upgrade does not count,
 *  so that a cluster at its limit can be upgraded. */

type Sized = Pick<
  PoolRow,
  'flavor_id' | 'node_count' | 'boot_volume_size' | 'is_public_ipv4' | 'servergroup_policy'
>;

export const DEFAULT_VOLUME_GIB = 50;

/** @throws Invalid under `field` */
export function flavorOf(id: string, field = 'flavor_id'): Flavor {
  const flavor = findFlavor(id);
  if (!flavor) throw new Invalid({ [field]: [noFlavor()] });
  return flavor;
}

/** For `count` nodes of such a pool. */
export function nodeAmounts(pool: Sized, count: number): Amounts {
  const flavor = flavorOf(pool.flavor_id);
  return {
    vm_count: count,
    cpu_count: count * flavor.vcpus,
    ram: count * flavor.ram,
    volume_count: count,
    volume_size: count * pool.boot_volume_size,
    ...(pool.is_public_ipv4 ? { external_ip_count: count } : {}),
    ...(flavor.gpu ? { [flavor.gpu.quota]: count * flavor.gpu.count } : {}),
  };
}

export function poolAmounts(pool: Sized): Amounts {
  return sumOf([
    nodeAmounts(pool, pool.node_count),
    pool.servergroup_policy === null ? {} : { servergroup_count: 1 },
  ]);
}

export function clusterAmounts(pools: readonly Sized[], logging: ClusterSettings['logging']): Amounts {
  return sumOf([{ cluster_count: 1 }, loggingAmounts(logging), ...pools.map(poolAmounts)]);
}

export function loggingAmounts(logging: ClusterSettings['logging']): Amounts {
  return logging?.enabled ? { laas_topic_count: 1 } : {};
}
