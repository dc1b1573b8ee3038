import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { quotaOf, release } from '../../quotas/index.ts';
import { loggingAmounts } from '../amounts.ts';
import { setSettings, unlockCluster } from '../cluster-store.ts';
import { changedSettings } from '../model.ts';
import { RESTORE_CLUSTER } from '../port.ts';
import type { UpdateCluster } from '../schema-input.ts';
import { desiredControlPlane, HOUR_MS, remainsOf, subjectOf, type TaskDeps } from './common.ts';

/** New settings of the control plane. */
export function updateClusterTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'update_k8s_cluster_v2',
    deadlineMs: HOUR_MS,
    async run(run) {
      const { cluster, provider } = await subjectOf(run, deps);
      const settings = changedSettings(cluster.settings, run.task.input as UpdateCluster);
      const version = cluster.control_plane_version ?? cluster.version;
      const desired = desiredControlPlane(deps, cluster, version, settings);
      const waiting = waitFor(await provider.applyControlPlane(desired, run.operation));
      if (waiting) return waiting;
      return done({}, async (tx) => {
        await setSettings(tx, cluster.id, settings);
        await unlockCluster(tx, cluster.id, run.task.id);
        // What came new was reserved when the change was accepted.
        const stopped = cluster.settings.logging?.enabled && !settings.logging?.enabled;
        if (stopped) await release(tx, quotaOf(cluster), loggingAmounts(cluster.settings.logging));
      });
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      const { cluster, provider } = remains;
      const version = cluster.control_plane_version ?? cluster.version;
      const operation = { ...run.operation, type: RESTORE_CLUSTER };
      const waiting = waitFor(
        await provider.applyControlPlane(desiredControlPlane(deps, cluster, version), operation),
      );
      if (waiting) return waiting;
      const requested = changedSettings(cluster.settings, run.task.input as UpdateCluster);
      return done({}, async (tx) => {
        await unlockCluster(tx, cluster.id, run.task.id);
        const started = requested.logging?.enabled && !cluster.settings.logging?.enabled;
        if (started) await release(tx, quotaOf(cluster), loggingAmounts(requested.logging));
      });
    },
  };
}
