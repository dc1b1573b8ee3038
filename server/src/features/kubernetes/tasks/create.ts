import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { release } from '../../quotas/index.ts';
import { clusterAmounts } from '../amounts.ts';
import { deleteCluster, setControlPlaneVersion, unlockCluster } from '../cluster-store.ts';
import { readPools } from '../pool-store.ts';
import {
  clearNodes,
  desiredControlPlane,
  HOUR_MS,
  remainsOf,
  settleNodes,
  subjectOf,
  type TaskDeps,
} from './common.ts';

/** Control plane first, then all nodes at once. */
export function createClusterTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'create_k8s_cluster_v2',
    deadlineMs: 4 * HOUR_MS,
    async run(run) {
      const { cluster, provider } = await subjectOf(run, deps);
      const { id, version } = cluster;
      if (cluster.control_plane_version === null) {
        const progress = await provider.applyControlPlane(
          desiredControlPlane(cluster, version),
          run.operation,
        );
        const waiting = waitFor(progress);
        if (waiting) return { ...waiting, percent: (waiting.percent ?? 0) / 10, step: 'control plane' };
        await run.db.transaction((tx) => setControlPlaneVersion(tx, id, run.task.id, version));
      }
      const goal = { version, replaceOutdated: false };
      const waiting = await settleNodes(run, deps, { provider, cluster, goal });
      if (waiting) return waiting;
      const pools = await readPools(run.db, [id]);
      const created = { k8s_clusters: [id], k8s_pools: pools.map((pool) => pool.id) };
      return done(created, (tx) => unlockCluster(tx, id, run.task.id));
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      const waiting =
        (await clearNodes(run, deps, remains, {})) ??
        waitFor(await remains.provider.removeControlPlane(remains.cluster.id, run.operation));
      if (waiting) return waiting;
      const { cluster } = remains;
      const pools = await readPools(run.db, [cluster.id]);
      return done({}, async (tx) => {
        await deleteCluster(tx, cluster.id);
        const scope = { clientId: cluster.client_id, regionId: cluster.region_id };
        await release(tx, scope, clusterAmounts(pools, cluster.settings.logging));
      });
    },
  };
}
