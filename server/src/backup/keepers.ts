import {
  type Keepers,
  keepKubernetesCluster,
  keepPostgresqlCluster,
  settleKubernetesCluster,
} from '../providers/local/index.ts';

/** Engines of local regions whose data cannot just be copied while they run. */
export const KEEPERS: Keepers = {
  postgresql: { keep: keepPostgresqlCluster },
  kubernetes: { keep: keepKubernetesCluster, settle: settleKubernetesCluster },
};
