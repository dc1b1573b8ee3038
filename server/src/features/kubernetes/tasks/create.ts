import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { setControlPlaneVersion, unlockCluster } from '../cluster-store.ts';
import { readPools } from '../pool-store.ts';
import { CREATE_CLUSTER } from '../port.ts';
import {
  desiredControlPlane,
  HOUR_MS,
  remainsOf,
  removeCluster,
  settleNodes,
  subjectOf,
  type TaskDeps,
} from './common.ts';

/** Control plane first, then all nodes at once. */
export function createClusterTask(deps: TaskDeps): TaskHandler {
  return {
    type: CREATE_CLUSTER,
    deadlineMs: 4 * HOUR_MS,
    async run(run) {
      const { cluster, provider } = await subjectOf(run, deps);
      const { id, version } = cluster;
      if (cluster.control_plane_version === null) {
        const progress = await provider.applyControlPlane(
          desiredControlPlane(deps, cluster, version),
          run.operation,
        );
        const waiting = waitFor(progress);
        if (waiting) return { ...waiting, percent: (waiting.percent ?? 0) / 10, step: 'control plane' };
        await run.db.transaction((tx) => setControlPlaneVersion(tx, id, run.task.id, version));
      }
      const goal = { version, replaceOutdated: false };
      const waiting = await settleNodes(run, deps, { provider, cluster, goal });
      if (waiting) return waiting;
      await provider.settleCluster?.(id);
      const pools = await readPools(run.db, [id]);
      const created = { k8s_clusters: [id], k8s_pools: pools.map((pool) => pool.id) };
      return done(created, (tx) => unlockCluster(tx, id, run.task.id));
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      return remains ? removeCluster(run, deps, remains) : done();
    },
  };
}
