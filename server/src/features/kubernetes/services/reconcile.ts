import { DomainError, messageOf } from '../../../kernel/errors.ts';
import { inRegion, type RegionContext } from '../../../platform/http/context.ts';
import type { Cipher } from '../../../platform/secrets/cipher.ts';
import type { LoadBalancerTree, ManagedLoadBalancers } from '../../load-balancers/index.ts';
import type { HealDeps } from '../heal.ts';
import type { ClusterService, KubernetesProvider, ServiceNode } from '../port.ts';
import { listenersOf } from './listeners.ts';
import { type ClusterWithServices, readClustersWithServices } from './store.ts';

export interface ServicesDeps extends HealDeps {
  readonly cipher: Cipher;
  readonly clock: RegionContext['clock'];
  readonly balancers: Pick<ManagedLoadBalancers, 'find' | 'create' | 'converge' | 'remove'>;
}

/** Read-only tags of a load balancer that is made for a service of a cluster. */
const CLUSTER_TAG = 'k8s-cluster';
const SERVICE_TAG = 'k8s-service';

/** Gives each service of the type LoadBalancer a load balancer, whose members follow the nodes, and removes it with the
 *  service or the cluster. What is there already is found by its tags, so that nothing has to be remembered. */
export function reconcileServices(deps: ServicesDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const clusters = await readClustersWithServices(deps.db, deps.regionIds());
    const made = await deps.balancers.find(deps.db, CLUSTER_TAG);
    for (const cluster of clusters) {
      if (signal.aborted) return;
      const trees = made.get(cluster.id) ?? [];
      made.delete(cluster.id);
      if (!cluster.can_change) continue;
      try {
        await reconcileCluster(deps, cluster, trees);
      } catch (error) {
        deps.log.warn({ err: error, cluster: cluster.id }, `services: ${messageOf(error)}`);
      }
    }
    // Of clusters that are gone.
    const here = new Set(deps.regionIds());
    for (const tree of [...made.values()].flat())
      if (here.has(tree.region_id)) await removeOrphan(deps, tree);
  };
}

async function reconcileCluster(
  deps: ServicesDeps,
  cluster: ClusterWithServices,
  trees: readonly LoadBalancerTree[],
): Promise<void> {
  const provider = deps.providerOf(cluster.region_id);
  if (!provider?.services) return;
  const ctx = acting(deps, cluster);
  if (cluster.status === 'Deleting') {
    for (const tree of trees) await remove(deps, ctx, tree);
    return;
  }
  const found = await provider.services(cluster.id);
  // Its API server does not answer, or it has no services of this kind.
  if (found === undefined) return;
  const byService = new Map(trees.map((tree) => [tree.tags[SERVICE_TAG]?.value, tree]));
  for (const service of found.services) {
    const tree = byService.get(service.id);
    byService.delete(service.id);
    try {
      await reconcileService(deps, { ctx, cluster, provider, service, nodes: found.nodes, tree });
    } catch (error) {
      // What is wrong with a service is its owner's to see.
      if (!(error instanceof DomainError)) throw error;
      await provider.reportService?.(cluster.id, service, { event: error.message });
    }
  }
  for (const tree of byService.values()) await remove(deps, ctx, tree);
}

interface Work {
  readonly ctx: RegionContext;
  readonly cluster: ClusterWithServices;
  readonly provider: KubernetesProvider;
  readonly service: ClusterService;
  readonly nodes: readonly ServiceNode[];
  readonly tree: LoadBalancerTree | undefined;
}

async function reconcileService(deps: ServicesDeps, work: Work): Promise<void> {
  const { ctx, cluster, provider, service, nodes, tree } = work;
  const report = (state: Parameters<NonNullable<KubernetesProvider['reportService']>>[2]) =>
    provider.reportService?.(cluster.id, service, state);
  if (!service.needsLoadBalancer) {
    if (tree) await remove(deps, ctx, tree);
    else await report({ address: null, isHeld: false });
    return;
  }
  // A service that is held is not gone before its load balancer is.
  if (!service.isHeld) await report({ isHeld: true });
  const listeners = listenersOf(service, nodes);
  if (!tree) {
    const name = `kube_service_${cluster.name}_${service.namespace}_${service.name}`.slice(0, 63);
    const tags = { [CLUSTER_TAG]: cluster.id, [SERVICE_TAG]: service.id };
    await deps.balancers.create(ctx, { name, tags, listeners });
    return;
  }
  if (tree.task_id !== null) return;
  if (await deps.balancers.converge(ctx, tree, listeners)) return;
  if (
    tree.provisioning_status === 'ACTIVE' &&
    tree.vip_address !== null &&
    service.address !== tree.vip_address
  )
    await report({ address: tree.vip_address });
}

async function remove(deps: ServicesDeps, ctx: RegionContext, tree: LoadBalancerTree): Promise<void> {
  if (tree.task_id === null) await deps.balancers.remove(ctx, tree.id);
}

async function removeOrphan(deps: ServicesDeps, tree: LoadBalancerTree): Promise<void> {
  if (tree.task_id !== null) return;
  const { client_id, project_id, region_id } = tree;
  const cluster = {
    client_id,
    project_id,
    region_id,
    user_id: 0,
    region_name: '',
    name: 'a deleted cluster',
  };
  await deps.balancers.remove(acting(deps, cluster), tree.id);
}

/** In the name of whoever made the cluster. */
function acting(
  { db, clock, ids, cipher, log }: ServicesDeps,
  row: Pick<
    ClusterWithServices,
    'client_id' | 'project_id' | 'region_id' | 'region_name' | 'user_id' | 'name'
  >,
): RegionContext {
  const region = { id: row.region_id, name: row.region_name, state: 'ACTIVE' };
  return {
    db,
    clock,
    ids,
    cipher,
    log,
    requestId: ids.uuid(),
    caller: { tokenId: 0, clientId: row.client_id, userId: row.user_id, role: 'Users' },
    remoteAddress: '',
    secure: true,
    publicUrl: undefined,
    userAgent: `Kubernetes cluster ${row.name}`,
    revocation: () => new AbortController().signal,
    ...inRegion({ id: row.project_id, clientId: row.client_id }, region),
  };
}
