import { messageOf } from '../../kernel/errors.ts';
import { noteChange } from '../../platform/changes/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { markNodes } from '../instances/index.ts';
import { lockCluster } from './cluster-store.ts';
import { removeNodes } from './converge.ts';
import type { HealDeps } from './heal.ts';
import { moveNodes, readWatchedNodes, type WatchedNode } from './pool-store.ts';
import type { KubernetesProvider, NodeCondition } from './port.ts';

export interface WatchDeps extends HealDeps {
  /** Milliseconds. */
  now(): number;
}

const PAGE = 1000;

/** Asks the providers how nodes are that were ready. One that is not is shown as such; one that is gone, or
 *  was not ready for too long, is given up if its pool heals itself, and then replaced like a deleted one. */
export async function watchNodes(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  for (let after = 0; !signal.aborted; ) {
    const page = await readWatchedNodes(deps.db, deps.regionIds(), after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    after = last.number;
    for (const [regionId, nodes] of grouped(page, ({ region_id }) => region_id)) {
      try {
        const provider = deps.providerOf(regionId);
        if (provider) await watchRegion(deps, provider, nodes);
      } catch (error) {
        deps.log.warn({ err: error, region: regionId }, `nodes could not be looked at: ${messageOf(error)}`);
      }
    }
  }
}

async function watchRegion(deps: WatchDeps, provider: KubernetesProvider, nodes: readonly WatchedNode[]) {
  const conditions = await provider.observeNodes(
    nodes.map(({ id, cluster_id, name, state_since, labels, taints }) => ({
      id,
      clusterId: cluster_id,
      name,
      since: state_since,
      labels,
      taints,
    })),
  );
  const judged = nodes.map((node) => ({
    node,
    ...judge(node, conditions.get(node.id), provider.unreadyGraceMs, deps.now()),
  }));
  const news = judged.filter(({ move, lost }) => move !== undefined || lost);
  for (const [clusterId, found] of grouped(news, ({ node }) => node.cluster_id)) {
    await note(deps, clusterId, found);
  }
}

interface Finding {
  readonly move: 'READY' | 'UNREADY' | undefined;
  /** It is not waited for any longer. */
  readonly lost: boolean;
}

/** What a node's condition means; of one that is not known, nothing. */
export function judge(
  node: Pick<WatchedNode, 'state' | 'state_since' | 'heals'>,
  condition: NodeCondition | undefined,
  graceMs: number,
  now: number,
): Finding {
  if (condition === undefined) return { move: undefined, lost: false };
  const wasReady = node.state === 'READY';
  if (condition === 'Ready') return { move: wasReady ? undefined : 'READY', lost: false };
  const tooLong = !wasReady && now - node.state_since.getTime() >= graceMs;
  return { move: wasReady ? 'UNREADY' : undefined, lost: node.heals && (condition === 'Gone' || tooLong) };
}

/** A cluster that a task works on is left to it: its lost nodes are found again later. */
async function note(
  deps: WatchDeps,
  clusterId: string,
  found: readonly (Finding & { readonly node: WatchedNode })[],
): Promise<void> {
  const idsOf = (which: (finding: Finding) => boolean) => found.filter(which).map(({ node }) => node.id);
  const moved = (tx: Tx, to: 'READY' | 'UNREADY') =>
    moveNodes(
      tx,
      idsOf(({ move }) => move === to),
      to,
      timestamp,
    );
  const timestamp = deps.timestamp();
  const replaced = await deps.db.transaction(async (tx) => {
    const cluster = await lockCluster(tx, clusterId);
    if (!cluster) return [];
    const { client_id: clientId, project_id: projectId, region_id: regionId, id } = cluster;
    tx.afterCommit(() =>
      noteChange(deps.db, { clientId, projectId, regionId, action: 'health', noun: 'k8s_cluster', id }),
    );
    await markNodes(tx, await moved(tx, 'READY'), 'ACTIVE', timestamp);
    await markNodes(tx, await moved(tx, 'UNREADY'), 'ERROR', timestamp);
    return cluster.task_id === null
      ? removeNodes(
          tx,
          idsOf(({ lost }) => lost),
          timestamp,
        )
      : [];
  });
  for (const { node, move } of found) {
    const { id, name } = node;
    if (replaced.includes(id)) deps.log.info({ node: id, name }, 'a node failed and is replaced');
    else if (move === 'UNREADY') deps.log.info({ node: id, name }, 'a node is no longer ready');
  }
}

function grouped<T, K>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}
