import { noteChange } from '../../platform/changes/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import { readLookedAt, setReason } from './cluster-store.ts';
import type { KubernetesProvider } from './port.ts';

export interface LookDeps extends OwnRegions<KubernetesProvider> {
  readonly db: Db;
}

/** Looks after clusters that are real: those of suspended clients end, and why one does not serve is written. */
export const lookAtClusters = (deps: LookDeps): Promise<void> =>
  inOwnRegions(deps, 'Kubernetes clusters', async (regionId, provider) => {
    if (!provider.observeClusters) return;
    const { db } = deps;
    const clusters = await readLookedAt(db, regionId);
    const faults = await provider.observeClusters(
      clusters.map(({ id, is_paused: isPaused, is_new: isNew }) => ({ id, isPaused, isNew })),
    );
    for (const { id, client_id: clientId, project_id: projectId, status_reason: before } of clusters) {
      const reason = faults.get(id) ?? null;
      if (before === reason) continue;
      await setReason(db, id, reason);
      noteChange(db, { clientId, projectId, regionId, action: 'health', noun: 'k8s_cluster', id });
    }
  });
