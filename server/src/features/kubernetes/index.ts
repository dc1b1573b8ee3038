import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { BackgroundJob, Feature } from '../../platform/feature.ts';
import type { OwnRegions } from '../../platform/owners/own-regions.ts';
import { unservedIn } from '../../platform/owners/unserved.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { ManagedLoadBalancers } from '../load-balancers/index.ts';
import { clustersInNeed } from './attention.ts';
import { authoritiesOfClusters } from './authorities.ts';
import { scalePools } from './autoscale.ts';
import { kubernetesExamples } from './examples.ts';
import { healClusters } from './heal.ts';
import { resealClusterKeys } from './keys.ts';
import { lookAtClusters } from './look.ts';
import { mapOfClusters } from './map.ts';
import { operatorKubernetesRoutes } from './operator-routes.ts';
import type { KubernetesProvider } from './port.ts';
import { kubernetesRoutes } from './routes.ts';
import { reconcileServices } from './services/reconcile.ts';
import { createClusterTask } from './tasks/create.ts';
import { deleteClusterTask } from './tasks/delete.ts';
import { createPoolTask, deletePoolTask, resizePoolTask } from './tasks/pools.ts';
import { updateClusterTask } from './tasks/update.ts';
import { upgradeClusterTask } from './tasks/upgrade.ts';
import { watchNodes } from './watch.ts';

export { flavorsOfPools } from './pool-store.ts';
export type { KubernetesProvider } from './port.ts';
export { simulationSignals } from './signals.ts';

export interface KubernetesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly cipher: Cipher;
  readonly prices: Prices;
  readonly balancers: ManagedLoadBalancers;
  providerOf(regionId: number): KubernetesProvider | undefined;
  /** All regions. */
  regionIds(): readonly number[];
  readonly owners: OwnRegions<KubernetesProvider>['owners'] & {
    /** Whether one node at a time works on a region. */
    hasOwner(regionId: number): boolean;
  };
}

const HEAL_EVERY_MS = 500;
const WATCH_EVERY_MS = 1000;
const LOOK_EVERY_MS = 1000;
const SERVICES_EVERY_MS = 1000;

const POOLS_WITHOUT_TASK = {
  table: 'k8s_pools',
  becomes: `state = 'ACTIVE'`,
  where: (tasks: readonly string[]) =>
    sql`state = 'DELETING' and cluster_id in (select id from k8s_clusters where task_id = any(${tasks}::uuid[]))`,
};

export function kubernetes(deps: KubernetesDeps): Feature {
  const { db, clock, ids, log, cipher } = deps;
  const providerOf = (regionId: number) => deps.providerOf(regionId);
  const work = { ids, clock, cipher, providerOf };
  const timestamp = () => clock.timestamp();
  const service = { cipher, providerOf, prices: deps.prices, regionIds: () => deps.regionIds() };
  const keep = { db, ids, log, timestamp, providerOf };
  return {
    name: 'kubernetes',
    areas: { Kubernetes: 'Managed clusters, their pools of nodes, upgrades and access.' },
    nouns: {
      certificates: ['Certificates', 'Certificates'],
      clusters: 'Cluster',
      create_versions: 'CreateVersion',
      upgrade_versions: ['UpgradeVersion', 'UpgradeVersions'],
    },
    examples: kubernetesExamples,
    needs: 'kubernetes',
    certificates: authoritiesOfClusters,
    attention: clustersInNeed,
    unserved: unservedIn('kubernetes_cluster', 'k8s_clusters'),
    mapped: mapOfClusters,
    searched: [{ kind: 'kubernetes_cluster', table: 'k8s_clusters', status: 's.status' }],
    routes: [...kubernetesRoutes(service), ...operatorKubernetesRoutes(service)],
    tasks: [
      createClusterTask(work),
      updateClusterTask(work),
      upgradeClusterTask(work),
      deleteClusterTask(work),
      createPoolTask(work),
      resizePoolTask(work),
      deletePoolTask(work),
    ],
    held: [{ table: 'k8s_clusters', becomes: `status = 'Provisioned'`, parts: [POOLS_WITHOUT_TASK] }],
    background: [
      ...keepingJobs(deps, 'kubernetes-heal', HEAL_EVERY_MS, (regionIds) =>
        healClusters({ ...keep, regionIds }),
      ),
      ...keepingJobs(deps, 'kubernetes-watch', WATCH_EVERY_MS, (regionIds) => async (signal) => {
        await watchNodes({ ...keep, regionIds, now: () => clock.now().getTime() }, signal);
        await scalePools({ ...keep, regionIds }, signal);
      }),
      ...keepingJobs(deps, 'kubernetes-services', SERVICES_EVERY_MS, (regionIds) =>
        reconcileServices({ ...keep, regionIds, cipher, clock, balancers: deps.balancers }),
      ),
      {
        // It works on the regions that this node owns, each of which is nobody else's.
        name: 'kubernetes-look',
        everyMs: LOOK_EVERY_MS,
        exclusive: false,
        afterTakeOver: true,
        run: () => lookAtClusters({ ...deps, providerOf }),
      },
    ],
    reseal: resealClusterKeys,
  };
}

/** A job for the regions that this node owns, which only it can reach, and one for those that nobody owns, which one node
 *  at a time does for all. */
function keepingJobs(
  { regionIds, owners }: Pick<KubernetesDeps, 'regionIds' | 'owners'>,
  name: string,
  everyMs: number,
  runIn: (regionIds: () => readonly number[]) => BackgroundJob['run'],
): readonly BackgroundJob[] {
  const own = () => regionIds().filter((id) => owners.hasOwner(id) && owners.serves(id));
  const everybodys = () => regionIds().filter((id) => !owners.hasOwner(id));
  return [
    { name: `${name}-own`, everyMs, exclusive: false, run: runIn(own) },
    { name, everyMs, exclusive: true, run: runIn(everybodys) },
  ];
}
