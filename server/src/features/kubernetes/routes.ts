import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../platform/http/schemas.ts';
import { InstanceList } from '../instances/index.ts';
import type { KubernetesService } from './access.ts';
import * as clusters from './clusters.ts';
import * as pools from './pools.ts';
import * as reads from './reads.ts';
import { poolRoutes } from './routes-pools.ts';
import { checkClusterChange, checkNamed } from './rules.ts';
import {
  Certificates,
  Cluster,
  ClusterList,
  ExceededLimits,
  FlavorList,
  Kubeconfig,
  VersionList,
} from './schema.ts';
import {
  CheckCluster,
  CheckPool,
  ClusterParams,
  CreateCluster,
  DeleteClusterQuery,
  FlavorListQuery,
  NodeListQuery,
  NodeParams,
  PageQuery,
  UpdateCluster,
  UpgradeCluster,
} from './schema-input.ts';

const tag = 'Kubernetes';
const all = '/cloud/v2/k8s/clusters/{project_id}/{region_id}';
const one = `${all}/{cluster_name}`;

export const kubernetesRoutes = (service: KubernetesService): readonly Route[] => [
  ...clusterRoutes(service),
  ...poolRoutes(service),
];

function clusterRoutes(service: KubernetesService): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path: '/cloud/v2/k8s/{project_id}/{region_id}/create_versions',
      tag,
      operationId: 'listClusterVersions',
      summary: 'List the versions that clusters can be created with',
      access: 'read',
      params: RegionParams,
      query: PageQuery,
      response: VersionList,
      handler: async (ctx, { query }) => reads.listCreateVersions(service, ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: '/cloud/v1/k8s/{project_id}/{region_id}/flavors',
      tag,
      operationId: 'listClusterFlavors',
      summary: 'List the flavors of nodes',
      access: 'read',
      params: RegionParams,
      query: FlavorListQuery,
      response: FlavorList,
      handler: async (ctx, { query }) => reads.listFlavors(service, ctx, query),
    }),
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Create a Kubernetes cluster',
      access: 'write',
      params: RegionParams,
      body: CreateCluster,
      rules: (body, faults) => checkNamed(faults, body),
      response: TaskIds,
      handler: (ctx, { body }) => clusters.createCluster(service, ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List Kubernetes clusters',
      access: 'read',
      params: RegionParams,
      query: PageQuery,
      response: ClusterList,
      handler: (ctx, { query }) => reads.listClusters(ctx, query),
    }),
    regionRoute({
      method: 'POST',
      path: `${all}/check_limits`,
      tag,
      summary: 'Ask which quotas a new cluster would exceed',
      access: 'read',
      params: RegionParams,
      body: CheckCluster,
      response: ExceededLimits,
      handler: (ctx, { body }) => reads.checkClusterLimits(ctx, body),
    }),
    regionRoute({
      method: 'POST',
      path: `${all}/pools/check_limits`,
      tag,
      operationId: 'checkLimitsForClusterPools',
      summary: 'Ask which quotas a new pool would exceed',
      access: 'read',
      params: RegionParams,
      body: CheckPool,
      response: ExceededLimits,
      handler: (ctx, { body }) => reads.checkPoolLimits(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a Kubernetes cluster',
      access: 'read',
      params: ClusterParams,
      response: Cluster,
      handler: (ctx, { params }) => reads.readCluster(ctx, params.cluster_name),
    }),
    regionRoute({
      method: 'PATCH',
      path: one,
      tag,
      summary: 'Change a Kubernetes cluster',
      access: 'write',
      params: ClusterParams,
      body: UpdateCluster,
      rules: checkClusterChange,
      response: TaskIds,
      handler: (ctx, { params, body }) => clusters.updateCluster(service, ctx, params.cluster_name, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a Kubernetes cluster',
      access: 'write',
      params: ClusterParams,
      query: DeleteClusterQuery,
      response: TaskIds,
      handler: (ctx, { params, query }) =>
        clusters.deleteCluster(service, ctx, params.cluster_name, query.volumes),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/certificates`,
      tag,
      summary: 'Get the certificate authority of a cluster',
      access: 'write',
      params: ClusterParams,
      response: Certificates,
      handler: (ctx, { params }) => reads.readCertificates(service, ctx, params.cluster_name),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/config`,
      tag,
      operationId: 'getKubeconfig',
      summary: 'Get the kubeconfig of a cluster',
      access: 'write',
      params: ClusterParams,
      response: Kubeconfig,
      handler: (ctx, { params }) => reads.readKubeconfig(service, ctx, params.cluster_name),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/upgrade_versions`,
      tag,
      summary: 'List the versions that a cluster may be brought to',
      access: 'read',
      params: ClusterParams,
      query: PageQuery,
      response: VersionList,
      handler: (ctx, { params, query }) => reads.listUpgradeVersions(ctx, params.cluster_name, query),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/upgrade`,
      tag,
      summary: 'Bring a cluster to another version',
      access: 'write',
      params: ClusterParams,
      body: UpgradeCluster,
      response: TaskIds,
      handler: (ctx, { params, body }) =>
        clusters.upgradeCluster(service, ctx, params.cluster_name, body.version),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/instances`,
      tag,
      summary: 'List the nodes of a cluster',
      access: 'read',
      params: ClusterParams,
      query: NodeListQuery,
      response: InstanceList,
      handler: (ctx, { params, query }) => reads.listNodes(ctx, { cluster: params.cluster_name }, query),
    }),
    regionRoute({
      method: 'DELETE',
      path: `${one}/instances/{instance_id}`,
      tag,
      summary: 'Delete a node of a cluster; a new one replaces it',
      access: 'write',
      params: NodeParams,
      status: 204,
      handler: (ctx, { params }) =>
        pools.deleteNode(service, ctx, { cluster: params.cluster_name }, params.instance_id),
    }),
  ];
}
