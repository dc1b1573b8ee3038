import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { release } from '../../quotas/index.ts';
import { clusterAmounts } from '../amounts.ts';
import { deleteCluster, unlockCluster } from '../cluster-store.ts';
import { readPools } from '../pool-store.ts';
import { clearNodes, HOUR_MS, remainsOf, subjectOf, type TaskDeps } from './common.ts';

/** Nodes first, then the control plane. Given up, the cluster is back, and its pools get their nodes again. */
export function deleteClusterTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'delete_k8s_cluster_v2',
    deadlineMs: 2 * HOUR_MS,
    async run(run) {
      const subject = await subjectOf(run, deps);
      const { cluster, provider } = subject;
      const waiting =
        (await clearNodes(run, deps, subject, {})) ??
        waitFor(await provider.removeControlPlane(cluster.id, run.operation));
      if (waiting) return waiting;
      const pools = await readPools(run.db, [cluster.id]);
      return done({}, async (tx) => {
        await deleteCluster(tx, cluster.id);
        const scope = { clientId: cluster.client_id, regionId: cluster.region_id };
        await release(tx, scope, clusterAmounts(pools, cluster.settings.logging));
      });
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      return done({}, (tx) => unlockCluster(tx, remains.cluster.id, run.task.id));
    },
  };
}
