import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { setControlPlaneVersion, setVersion, unlockCluster } from '../cluster-store.ts';
import { removeNodes } from '../converge.ts';
import { readNodes } from '../pool-store.ts';
import { desiredControlPlane, HOUR_MS, remainsOf, settleNodes, subjectOf, type TaskDeps } from './common.ts';

/** Control plane first, then the nodes one at a time: the new one is ready before the old one goes. What is
 *  left to do is read from the nodes each time, so that a run begins wherever an earlier one ended.
 *
 *  An upgrade that fails keeps what it reached; only the node that was just being made is deleted. The
 *  cluster can be used, and the upgrade can be asked for again. */
export function upgradeClusterTask(deps: TaskDeps): TaskHandler {
  return {
    type: 'upgrade_k8s_cluster',
    deadlineMs: 72 * HOUR_MS,
    async run(run) {
      const { cluster, provider } = await subjectOf(run, deps);
      const { version } = run.task.input as { version: string };
      if (cluster.control_plane_version !== version) {
        // A new attempt is a new piece of work to the provider.
        const name = `${cluster.name}@${version}#${cluster.upgrade_attempts}`;
        const desired = desiredControlPlane(deps, cluster, version);
        const waiting = waitFor(
          await provider.applyControlPlane(desired, { ...run.operation, name, subject: cluster.name }),
        );
        if (waiting) {
          return { ...waiting, percent: (waiting.percent ?? 0) / 10, step: `control plane to ${version}` };
        }
        await run.db.transaction((tx) => setControlPlaneVersion(tx, cluster.id, run.task.id, version));
      }
      const goal = { version, replaceOutdated: true };
      const waiting = await settleNodes(run, deps, { provider, cluster, goal });
      if (waiting) return waiting;
      return done({}, async (tx) => {
        await setVersion(tx, cluster.id, version);
        await unlockCluster(tx, cluster.id, run.task.id);
      });
    },
    async undo(run) {
      const remains = await remainsOf(run, deps);
      if (!remains) return done();
      const { cluster } = remains;
      const unfinished = (await readNodes(run.db, [cluster.id]))
        .filter(({ state }) => state === 'BUILDING')
        .map(({ id }) => id);
      return done({}, async (tx) => {
        await removeNodes(tx, unfinished, run.timestamp);
        await unlockCluster(tx, cluster.id, run.task.id);
      });
    },
  };
}
