import { done, type TaskHandler } from '../../../platform/tasks/handler.ts';
import { unlockCluster } from '../cluster-store.ts';
import { HOUR_MS, remainsOf, removeCluster, subjectOf, type TaskDeps } from './common.ts';

/** Nodes first, then the control plane. Given up, the cluster is back, and its pools get their nodes again. */
export function deleteClusterTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'delete_k8s_cluster_v2',
    deadlineMs: 2 * HOUR_MS,
    async run(run) {
      return removeCluster(run, deps, await subjectOf(run, deps));
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      return done({}, (tx) => unlockCluster(tx, remains.cluster.id, run.task.id));
    },
  };
}
