import { statesBefore } from '../../kernel/transitions.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, without } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { freed, given } from '../networking/addresses/index.ts';
import { NODE_COLUMNS, type NodeRow, POOL_COLUMNS, type PoolRow } from './model.ts';
import { NODE_TRANSITIONS, type NodeState, POOL_TRANSITIONS, type PoolState } from './states.ts';

/** SQL of pools and nodes. */

const POOL = listOf(POOL_COLUMNS);
const NODE = listOf(NODE_COLUMNS);

/** Pools of these clusters, oldest first. */
export async function readPools(db: Queryable, clusterIds: readonly string[]): Promise<PoolRow[]> {
  return db.rows<PoolRow>(
    sql`select ${POOL} from k8s_pools where cluster_id = any(${clusterIds}::uuid[]) order by created_at, id`,
  );
}

/** Nodes of these clusters, oldest first. */
export async function readNodes(db: Queryable, clusterIds: readonly string[]): Promise<NodeRow[]> {
  return db.rows<NodeRow>(
    sql`select ${NODE} from k8s_nodes where cluster_id = any(${clusterIds}::uuid[]) order by number`,
  );
}

/** `state` has its default. */
const NEW_POOL = listOf(without(POOL_COLUMNS, ['state']));

export async function insertPool(
  tx: Tx,
  { timestamp, ...pool }: Omit<PoolRow, 'created_at' | 'state'> & { readonly timestamp: string },
): Promise<void> {
  await tx.run(sql`insert into k8s_pools (${NEW_POOL})
     select ${NEW_POOL} from jsonb_populate_record(null::k8s_pools, ${JSON.stringify({ ...pool, created_at: timestamp })}::jsonb)`);
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
  | 'names_security_groups'
>;

export async function updatePool(tx: Tx, id: string, change: PoolChange): Promise<void> {
  await tx.run(sql`update k8s_pools set auto_healing_enabled = ${change.auto_healing_enabled}, labels = ${JSON.stringify(change.labels)}, taints = ${JSON.stringify(change.taints)}, min_node_count = ${change.min_node_count},
            max_node_count = ${change.max_node_count}, node_count = ${change.node_count}, security_group_ids = ${change.security_group_ids}, names_security_groups = ${change.names_security_groups} where id = ${id}`);
}

export async function setNodeCount(tx: Tx, id: string, count: number): Promise<void> {
  await tx.run(sql`update k8s_pools set node_count = ${count} where id = ${id}`);
}

export async function setPoolState(tx: Tx, id: string, state: PoolState): Promise<void> {
  await tx.run(
    sql`update k8s_pools set state = ${state} where id = ${id} and state = any(${statesBefore(POOL_TRANSITIONS, state)})`,
  );
}

/** @returns false when it was gone already */
export async function deletePool(tx: Tx, id: string): Promise<boolean> {
  return tx.any(sql`
    with ${freed(sql`select id from k8s_nodes where pool_id = ${id}`)}
    delete from k8s_pools where id = ${id} returning 1`);
}

/** A node whose address is one of a subnet owns it there; others have theirs in the cluster's own network. */
const ADDRESS_OF_NODE = sql`
    select c.region_id, c.network_id as space, node.private_ip::inet as address, node.id as owner_id, node.subnet_id
      from node join k8s_clusters c on c.id = node.cluster_id where node.subnet_id is not null`;

/** @returns the node's number, unique among all nodes ever made */
export async function insertNode(
  tx: Tx,
  node: Omit<NodeRow, 'number' | 'state' | 'state_since'> & {
    /** Null: the address is one of the cluster's own network. */
    readonly subnet_id: string | null;
    readonly timestamp: string;
  },
): Promise<number> {
  const row = await tx.row<{ number: number }>(sql`
    with node as (
      insert into k8s_nodes (id, cluster_id, pool_id, name, version, private_ip, state, state_since, subnet_id)
      values (${node.id}, ${node.cluster_id}, ${node.pool_id}, ${node.name}, ${node.version}, ${node.private_ip},
              'BUILDING', ${node.timestamp}, ${node.subnet_id})
      returning *),
    ${given(ADDRESS_OF_NODE)}
    select number from node`);
  return inserted(row).number;
}

/** Moves those nodes to a state that may come to it from the one they are in.
 *  @returns ids of the nodes that moved */
export async function moveNodes(
  tx: Tx,
  ids: readonly string[],
  state: NodeState,
  timestamp: string,
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    sql`update k8s_nodes set state = ${state}, state_since = ${timestamp} where id = any(${ids}::uuid[]) and state = any(${statesBefore(NODE_TRANSITIONS, state)}) returning id`,
  );
  return rows.map(({ id }) => id);
}

/** Removes those of the nodes that are being removed; their addresses are free then. */
export async function deleteNodes(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    with gone as (delete from k8s_nodes where id = any(${ids}::uuid[]) and state = 'REMOVING' returning id),
         ${freed(sql`select id from gone`)}
    select`);
}

/** A node that was ready once, with what its watch has to know. */
export interface WatchedNode extends Pick<NodeRow, 'id' | 'number' | 'cluster_id' | 'name' | 'state_since'> {
  readonly state: 'READY' | 'UNREADY';
  readonly region_id: number;
  /** Whether its pool replaces nodes that fail. */
  readonly heals: boolean;
  readonly labels: PoolRow['labels'];
  readonly taints: PoolRow['taints'];
}

/** The next nodes of the clusters of these regions, by their numbers. */
export async function readWatchedNodes(
  db: Queryable,
  regionIds: readonly number[],
  after: number,
  limit: number,
): Promise<WatchedNode[]> {
  return db.rows<WatchedNode>(sql`select n.id, n.number, n.cluster_id, n.name, n.state, n.state_since, c.region_id, p.auto_healing_enabled as heals,
            p.labels, p.taints
       from k8s_nodes n join k8s_pools p on p.id = n.pool_id join k8s_clusters c on c.id = n.cluster_id
      where n.number > ${after} and n.state in ('READY', 'UNREADY') and c.region_id = any(${regionIds}::int[])
      order by n.number limit ${limit}`);
}

export interface ScaledPool
  extends Pick<
    PoolRow,
    | 'id'
    | 'cluster_id'
    | 'name'
    | 'node_count'
    | 'min_node_count'
    | 'max_node_count'
    | 'flavor_id'
    | 'labels'
    | 'taints'
  > {
  readonly region_id: number;
  readonly autoscaler_config: Readonly<Record<string, string>> | null;
  /** Names of its nodes, oldest first. */
  readonly nodes: readonly string[];
}

/** The next pools of the clusters of these regions that have room between their bounds. */
export async function readScaledPools(
  db: Queryable,
  regionIds: readonly number[],
  after: string | undefined,
  limit: number,
): Promise<ScaledPool[]> {
  return db.rows<ScaledPool>(sql`select p.id, p.cluster_id, p.name, p.node_count, p.min_node_count, p.max_node_count, c.region_id,
            p.flavor_id, p.labels, p.taints, c.settings -> 'autoscaler_config' as autoscaler_config,
            array(select n.name from k8s_nodes n where n.pool_id = p.id and n.state <> 'REMOVING'
                   order by n.number) as nodes
       from k8s_pools p join k8s_clusters c on c.id = p.cluster_id
      where p.min_node_count < p.max_node_count and p.state = 'ACTIVE' and c.task_id is null
        and c.region_id = any(${regionIds}::int[])
        and (${after ?? null}::uuid is null or p.id > ${after ?? null}) order by p.id limit ${limit}`);
}

/** Ids of the flavors that nodes have, in their order. */
export async function flavorsOfPools(db: Queryable): Promise<readonly string[]> {
  const rows = await db.rows<{ flavor_id: string }>(
    sql`select distinct flavor_id from k8s_pools order by flavor_id`,
  );
  return rows.map(({ flavor_id }) => flavor_id);
}
