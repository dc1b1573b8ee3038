import {
  backUpKubernetesCluster,
  backUpPostgresqlCluster,
  type EngineBackups,
  settleKubernetesCluster,
} from '../providers/local/index.ts';

/** Engines of local regions whose data cannot just be copied while they run. */
export const ENGINE_BACKUPS: EngineBackups = {
  postgresql: { backUp: backUpPostgresqlCluster },
  kubernetes: { backUp: backUpKubernetesCluster, settle: settleKubernetesCluster },
};
