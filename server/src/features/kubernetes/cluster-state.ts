import { zuluTime } from '../../kernel/codecs.ts';
import type { Db } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { KubernetesService } from './access.ts';
import { clusters } from './cluster-store.ts';
import type { ClusterPods, PodCounts } from './port.ts';
import type { NodeState } from './states.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly pool_name: string;
  readonly version: string;
  readonly address: string;
  readonly state: NodeState;
  readonly state_since: Date;
  /** Whether its pool replaces nodes that fail. */
  readonly heals: boolean;
}

const readNodeStates = (db: Db, clusterId: string): Promise<Row[]> =>
  db.rows<Row>(sql`select n.id, n.name, p.name as pool_name, n.version, n.private_ip as address, n.state,
            n.state_since, p.auto_healing_enabled as heals
       from k8s_nodes n join k8s_pools p on p.id = n.pool_id
      where n.cluster_id = ${clusterId} order by n.number`);

async function networkName(db: Db, id: string): Promise<string | null> {
  const row = await db.row<{ name: string }>(sql`select name from networks where id = ${id}`);
  return row?.name ?? null;
}

/** More namespaces are counted, and not listed. */
const MOST_NAMESPACES = 100;

/** How a cluster is reached, and how its nodes and pods are.
 *  @throws NotFound */
export async function readClusterState(service: KubernetesService, ctx: RegionContext, name: string) {
  const cluster = await clusters.read(ctx.db, name, ctx.scope);
  const provider = service.providerOf(cluster.region_id);
  const isUp = cluster.control_plane_version !== null;
  const [nodes, network_name, pods] = await Promise.all([
    readNodeStates(ctx.db, cluster.id),
    networkName(ctx.db, cluster.network_id),
    isUp ? provider?.pods?.(cluster.id) : undefined,
  ]);
  const graceSeconds = Math.round((provider?.unreadyGraceMs ?? 0) / 1000);
  return {
    api_url: isUp ? `https://${cluster.api_address}:6443` : null,
    control_plane_version: cluster.control_plane_version,
    not_served: cluster.status_reason,
    is_simulated: provider?.acceptsSignals === true,
    network_id: cluster.network_id,
    network_name,
    nodes: nodes.map(({ state_since, heals, ...node }) => ({
      ...node,
      since: zuluTime(state_since),
      reason: reasonOf(node.state, heals, graceSeconds),
      pod_count: pods === undefined ? null : (pods.nodes.get(node.name) ?? 0),
    })),
    pods: pods === undefined ? null : viewPods(pods),
  };
}

const COUNTED = ['pending', 'running', 'succeeded', 'failed', 'unknown'] as const;

function viewPods({ isComplete, namespaces, unready, unreadyCount }: ClusterPods) {
  const listed = [...namespaces].map(([name, counts]) => ({ name, ...counts, count: sumOf(counts) }));
  listed.sort((one, other) => other.count - one.count || one.name.localeCompare(other.name));
  const inPhase = (phase: keyof PodCounts) => listed.reduce((sum, each) => sum + each[phase], 0);
  return {
    count: listed.reduce((sum, { count }) => sum + count, 0),
    pending: inPhase('pending'),
    running: inPhase('running'),
    succeeded: inPhase('succeeded'),
    failed: inPhase('failed'),
    unknown: inPhase('unknown'),
    is_complete: isComplete,
    namespaces: listed.slice(0, MOST_NAMESPACES),
    not_ready_count: unreadyCount,
    not_ready: unready.map(({ since, ...pod }) => ({ ...pod, since: zuluTime(since) })),
  };
}

const sumOf = (counts: PodCounts): number => COUNTED.reduce((sum, phase) => sum + counts[phase], 0);

function reasonOf(state: NodeState, heals: boolean, graceSeconds: number): string | null {
  switch (state) {
    case 'READY':
      return null;
    case 'BUILDING':
      return 'It is being started, and joins the cluster when it is up';
    case 'REMOVING':
      return 'It is being removed';
    case 'UNREADY':
      return `The cluster hears nothing from it, or it says that it is not ready. ${
        heals
          ? `Its pool replaces it when that has lasted ${graceSeconds} s`
          : 'Its pool does not replace nodes that fail: delete it, and a new one comes, or switch healing on'
      }`;
  }
}
