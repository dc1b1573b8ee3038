import type { NodeState } from './states.ts';

/** Which nodes to add and which to remove next: pure, from what is. Nothing of it is remembered, so that an
 *  interrupted change goes on wherever reality stands. */

export interface PlannedPool {
  readonly id: string;
  /** How many nodes it should have; 0 for a pool that goes away. */
  readonly nodeCount: number;
}

export interface PlannedNode {
  readonly id: string;
  readonly poolId: string;
  readonly version: string;
  readonly state: NodeState;
}

export interface Goal {
  /** Version of new nodes. */
  readonly version: string;
  /** Replace ready nodes of other versions, one at a time. */
  readonly replaceOutdated: boolean;
}

export interface Plan {
  /** Pools to add a node to, once for each node. */
  readonly add: readonly string[];
  /** Nodes to remove. */
  readonly remove: readonly string[];
}

/** First every pool gets its size: missing nodes all at once, surplus nodes likewise (those not ready first,
 *  then the newest). Then outdated nodes are replaced, one in the whole cluster at a time: a new node comes,
 *  and only when its pool has one node more than it should does an old one go. Nodes that are REMOVING no
 *  longer count; those that are UNREADY do, until somebody decides that they go.
 *  @param nodes oldest first */
export function planNodes(pools: readonly PlannedPool[], nodes: readonly PlannedNode[], goal: Goal): Plan {
  const live = nodes.filter(({ state }) => state !== 'REMOVING');
  const of = (pool: PlannedPool) => live.filter(({ poolId }) => poolId === pool.id);
  const missing = pools.flatMap((pool) => repeat(pool.id, pool.nodeCount - of(pool).length));
  const stale = goal.replaceOutdated
    ? live.filter(({ state, version }) => state === 'BUILDING' && version !== goal.version)
    : [];
  if (missing.length > 0 || stale.length > 0) return { add: missing, remove: stale.map(({ id }) => id) };
  const surplus = pools.flatMap((pool) => surplusOf(pool, of(pool), goal));
  if (surplus.length > 0 || !goal.replaceOutdated) return { add: [], remove: surplus };
  return replaceOne(pools, live, goal);
}

const repeat = (id: string, times: number): string[] => Array.from({ length: Math.max(0, times) }, () => id);

/** Nodes too many; of a pool whose nodes are being replaced the one extra node is not. */
function surplusOf(pool: PlannedPool, live: readonly PlannedNode[], goal: Goal): string[] {
  const replacing = goal.replaceOutdated && pool.nodeCount > 0 && live.some((node) => isOutdated(node, goal));
  const tooMany = live.length - pool.nodeCount - (replacing ? 1 : 0);
  if (tooMany <= 0) return [];
  const unready = live.filter(({ state }) => state === 'UNREADY').reverse();
  const building = live.filter(({ state }) => state === 'BUILDING').reverse();
  const ready = live.filter(({ state }) => state === 'READY').reverse();
  const outdatedFirst = goal.replaceOutdated
    ? [...ready.filter((n) => isOutdated(n, goal)), ...ready.filter((n) => !isOutdated(n, goal))]
    : ready;
  return [...unready, ...building, ...outdatedFirst].slice(0, tooMany).map(({ id }) => id);
}

const isOutdated = ({ state, version }: PlannedNode, goal: Goal) =>
  (state === 'READY' || state === 'UNREADY') && version !== goal.version;

function replaceOne(pools: readonly PlannedPool[], live: readonly PlannedNode[], goal: Goal): Plan {
  const nothing: Plan = { add: [], remove: [] };
  if (live.some(({ state }) => state === 'BUILDING')) return nothing;
  const outdated = live.filter((node) => isOutdated(node, goal));
  // A pool that has its extra node already comes first: there is only ever one.
  const over = pools.find((pool) => live.filter((n) => n.poolId === pool.id).length > pool.nodeCount);
  if (over) {
    const own = (nodes: readonly PlannedNode[]) => nodes.filter(({ poolId }) => poolId === over.id);
    // One that is not ready is the one that nobody misses.
    const old = own(live).find(({ state }) => state === 'UNREADY') ?? own(outdated)[0];
    return old ? { add: [], remove: [old.id] } : nothing;
  }
  const [first] = outdated;
  return first ? { add: [first.poolId], remove: [] } : nothing;
}
