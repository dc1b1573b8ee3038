import { done, type TaskHandler, type TaskRun } from '../../../platform/tasks/handler.ts';
import { quotaOf, release } from '../../quotas/index.ts';
import { nodeAmounts, poolAmounts } from '../amounts.ts';
import { unlockCluster } from '../cluster-store.ts';
import type { ClusterRow, PoolRow } from '../model.ts';
import { deletePool, readPools, setNodeCount, setPoolState } from '../pool-store.ts';
import { clearNodes, HOUR_MS, remainsOf, settleNodes, subjectOf, type TaskDeps } from './common.ts';

async function poolOf(run: TaskRun, cluster: ClusterRow): Promise<PoolRow | undefined> {
  const pools = await readPools(run.db, [cluster.id]);
  return pools.find(({ id }) => id === run.task.subject);
}

/** The cluster, and how long to wait until its pools have their nodes. */
async function withNodes(run: TaskRun, deps: TaskDeps) {
  const { cluster, provider } = await subjectOf(run, deps);
  const goal = { version: cluster.version, replaceOutdated: false };
  return { cluster, waiting: await settleNodes(run, deps, { provider, cluster, goal }) };
}

export function createPoolTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'create_k8s_cluster_pool_v2',
    deadlineMs: 4 * HOUR_MS,
    withoutFaults: true,
    async run(run) {
      const { cluster, waiting } = await withNodes(run, deps);
      if (waiting) return waiting;
      return done({ k8s_pools: [run.task.subject] }, (tx) => unlockCluster(tx, cluster.id, run.task.id));
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      return removeNodes(run, deps, remains);
    },
  };
}

/** The nodes of the task's pool, then the pool, and what it counted. */
async function removeNodes(run: TaskRun, deps: TaskDeps, subject: Awaited<ReturnType<typeof subjectOf>>) {
  const { cluster } = subject;
  const pool = await poolOf(run, cluster);
  const waiting = pool && (await clearNodes(run, deps, subject, { poolId: pool.id }));
  if (waiting) return waiting;
  return done({}, async (tx) => {
    await unlockCluster(tx, cluster.id, run.task.id);
    const deleted = pool && (await deletePool(tx, pool.id));
    if (deleted) await release(tx, quotaOf(cluster), poolAmounts(pool));
  });
}

export function deletePoolTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'delete_k8s_cluster_pool_v2',
    deadlineMs: 2 * HOUR_MS,
    withoutFaults: true,
    async run(run) {
      return removeNodes(run, deps, await subjectOf(run, deps));
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      return done({}, async (tx) => {
        await setPoolState(tx, run.task.subject, 'ACTIVE');
        await unlockCluster(tx, remains.cluster.id, run.task.id);
      });
    },
  };
}

/** The pool's new size is in its row since the resize was accepted, and what came on top is reserved. */
export function resizePoolTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'resize_k8s_cluster_pool_v2',
    deadlineMs: 4 * HOUR_MS,
    withoutFaults: true,
    async run(run) {
      const { cluster, waiting } = await withNodes(run, deps);
      if (waiting) return waiting;
      const pool = await poolOf(run, cluster);
      const { from } = run.task.input as { from: number };
      return done({}, async (tx) => {
        await unlockCluster(tx, cluster.id, run.task.id);
        const fewer = pool ? from - pool.node_count : 0;
        if (pool && fewer > 0) await release(tx, quotaOf(cluster), nodeAmounts(pool, fewer));
      });
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      const { cluster } = remains;
      const pool = await poolOf(run, cluster);
      const { from } = run.task.input as { from: number };
      return done({}, async (tx) => {
        await unlockCluster(tx, cluster.id, run.task.id);
        if (!pool) return;
        await setNodeCount(tx, pool.id, from);
        const more = pool.node_count - from;
        if (more > 0) await release(tx, quotaOf(cluster), nodeAmounts(pool, more));
      });
    },
  };
}
