import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { NodeRow, PoolRow } from './model.ts';

/** SQL of pools and nodes. */

const POOL = `id, cluster_id, name, flavor_id, node_count, min_node_count, max_node_count, boot_volume_size,
  boot_volume_type, is_public_ipv4, auto_healing_enabled, labels, taints, crio_config, kubelet_config,
  security_group_ids, servergroup_id, servergroup_policy, deleting, created_at`;
const NODE = 'id, number, cluster_id, pool_id, name, version, state, private_ip, state_since';

/** Pools of these clusters, oldest first. */
export async function readPools(db: Queryable, clusterIds: readonly string[]): Promise<PoolRow[]> {
  return db.named<PoolRow>(
    'k8s_pools_of',
    `select ${POOL} from k8s_pools where cluster_id = any($1::uuid[]) order by created_at, id`,
    [clusterIds],
  );
}

/** Nodes of these clusters, oldest first. */
export async function readNodes(db: Queryable, clusterIds: readonly string[]): Promise<NodeRow[]> {
  return db.named<NodeRow>(
    'k8s_nodes_of',
    `select ${NODE} from k8s_nodes where cluster_id = any($1::uuid[]) order by number`,
    [clusterIds],
  );
}

export async function insertPool(
  tx: Tx,
  pool: Omit<PoolRow, 'created_at' | 'deleting'> & { readonly timestamp: string },
): Promise<void> {
  await tx.named(
    'k8s_pool_insert',
    `insert into k8s_pools (id, cluster_id, name, flavor_id, node_count, min_node_count, max_node_count,
       boot_volume_size, boot_volume_type, is_public_ipv4, auto_healing_enabled, labels, taints, crio_config,
       kubelet_config, security_group_ids, servergroup_id, servergroup_policy, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    [
      pool.id,
      pool.cluster_id,
      pool.name,
      pool.flavor_id,
      pool.node_count,
      pool.min_node_count,
      pool.max_node_count,
      pool.boot_volume_size,
      pool.boot_volume_type,
      pool.is_public_ipv4,
      pool.auto_healing_enabled,
      JSON.stringify(pool.labels),
      JSON.stringify(pool.taints),
      JSON.stringify(pool.crio_config),
      JSON.stringify(pool.kubelet_config),
      pool.security_group_ids,
      pool.servergroup_id,
      pool.servergroup_policy,
      pool.timestamp,
    ],
  );
}

export type PoolChange = Pick<
  PoolRow,
  | 'auto_healing_enabled'
  | 'labels'
  | 'taints'
  | 'min_node_count'
  | 'max_node_count'
  | 'node_count'
  | 'security_group_ids'
>;

export async function updatePool(tx: Tx, id: string, change: PoolChange): Promise<void> {
  await tx.named(
    'k8s_pool_update',
    `update k8s_pools set auto_healing_enabled = $2, labels = $3, taints = $4, min_node_count = $5,
            max_node_count = $6, node_count = $7, security_group_ids = $8 where id = $1`,
    [
      id,
      change.auto_healing_enabled,
      JSON.stringify(change.labels),
      JSON.stringify(change.taints),
      change.min_node_count,
      change.max_node_count,
      change.node_count,
      change.security_group_ids,
    ],
  );
}

export async function setNodeCount(tx: Tx, id: string, count: number): Promise<void> {
  await tx.named('k8s_pool_size', 'update k8s_pools set node_count = $2 where id = $1', [id, count]);
}

export async function setDeleting(tx: Tx, id: string, deleting: boolean): Promise<void> {
  await tx.named('k8s_pool_deleting', 'update k8s_pools set deleting = $2 where id = $1', [id, deleting]);
}

/** @returns false when it was gone already */
export async function deletePool(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.named('k8s_pool_delete', 'delete from k8s_pools where id = $1 returning 1', [id]);
  return rows.length === 1;
}

/** @returns the node's number, unique among all nodes ever made */
export async function insertNode(
  tx: Tx,
  node: Omit<NodeRow, 'number' | 'state' | 'state_since'> & { readonly timestamp: string },
): Promise<number> {
  const [row] = await tx.named<{ number: number }>(
    'k8s_node_insert',
    `insert into k8s_nodes (id, cluster_id, pool_id, name, version, private_ip, state, state_since)
     values ($1, $2, $3, $4, $5, $6, 'BUILDING', $7) returning number`,
    [node.id, node.cluster_id, node.pool_id, node.name, node.version, node.private_ip, node.timestamp],
  );
  if (!row) throw new Error('the node was not inserted');
  return row.number;
}

/** @returns false when the node is no longer BUILDING */
export async function markReady(tx: Tx, id: string, timestamp: string): Promise<boolean> {
  const rows = await tx.named(
    'k8s_node_ready',
    `update k8s_nodes set state = 'READY', state_since = $2 where id = $1 and state = 'BUILDING' returning 1`,
    [id, timestamp],
  );
  return rows.length === 1;
}

export async function markRemoving(tx: Tx, ids: readonly string[], timestamp: string): Promise<void> {
  await tx.named(
    'k8s_node_removing',
    `update k8s_nodes set state = 'REMOVING', state_since = $2 where id = any($1::uuid[]) and state <> 'REMOVING'`,
    [ids, timestamp],
  );
}

export async function deleteNode(tx: Tx, id: string): Promise<void> {
  await tx.named('k8s_node_delete', `delete from k8s_nodes where id = $1 and state = 'REMOVING'`, [id]);
}
