import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds } from '../../platform/http/schemas.ts';
import { InstanceList } from '../instances/index.ts';
import type { KubernetesService } from './access.ts';
import { readClusterState } from './cluster-state.ts';
import * as clusters from './clusters.ts';
import * as pools from './pools.ts';
import * as reads from './reads.ts';
import { poolRoutes } from './routes-pools.ts';
import { checkClusterChange, checkNamed } from './rules.ts';
import {
  Certificates,
  Cluster,
  ClusterList,
  ClusterState,
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
const all = regionPath(tag, '/cloud/v2/k8s/clusters/{project_id}/{region_id}');
const one = all.at('{cluster_name}', ClusterParams.properties);

export const kubernetesRoutes = (service: KubernetesService): readonly Route[] => [
  ...clusterRoutes(service),
  ...poolRoutes(service),
];

function clusterRoutes(service: KubernetesService): readonly Route[] {
  return [
    regionPath(tag, '/cloud/v2/k8s/{project_id}/{region_id}/create_versions').get({
      operationId: 'listClusterVersions',
      summary: 'List the versions that clusters can be created with',
      query: PageQuery,
      response: VersionList,
      handler: async (ctx, { query }) => reads.listCreateVersions(service, ctx, query),
    }),
    regionPath(tag, '/cloud/v1/k8s/{project_id}/{region_id}/flavors').get({
      operationId: 'listClusterFlavors',
      summary: 'List the flavors of nodes',
      query: FlavorListQuery,
      response: FlavorList,
      handler: async (ctx, { query }) => reads.listFlavors(service, ctx, query),
    }),
    all.post({
      summary: 'Create a Kubernetes cluster',
      takes: () => ['disk', 'memory', 'kubernetes_networks'],
      body: CreateCluster,
      rules: (body, faults) => checkNamed(faults, body),
      response: TaskIds,
      handler: (ctx, { body }) => clusters.createCluster(service, ctx, body),
    }),
    all.get({
      summary: 'List Kubernetes clusters',
      query: PageQuery,
      response: ClusterList,
      handler: (ctx, { query }) => reads.listClusters(ctx, query),
    }),
    all.at('check_limits').post({
      summary: 'Ask which quotas a new cluster would exceed',
      access: 'read',
      body: CheckCluster,
      response: ExceededLimits,
      handler: (ctx, { body }) => reads.checkClusterLimits(ctx, body),
    }),
    all.at('pools/check_limits').post({
      operationId: 'checkLimitsForClusterPools',
      summary: 'Ask which quotas a new pool would exceed',
      access: 'read',
      body: CheckPool,
      response: ExceededLimits,
      handler: (ctx, { body }) => reads.checkPoolLimits(ctx, body),
    }),
    one.get({
      summary: 'Get a Kubernetes cluster',
      response: Cluster,
      handler: (ctx, { params }) => reads.readCluster(ctx, params.cluster_name),
    }),
    regionPath(
      tag,
      '/virga/v1/k8s/{project_id}/{region_id}/{cluster_name}/state',
      ClusterParams.properties,
    ).get({
      operationId: 'getClusterState',
      summary: 'See how a Kubernetes cluster is reached, and how its nodes and pods are',
      response: ClusterState,
      handler: (ctx, { params }) => readClusterState(service, ctx, params.cluster_name),
    }),
    one.patch({
      summary: 'Change a Kubernetes cluster',
      body: UpdateCluster,
      rules: checkClusterChange,
      response: TaskIds,
      handler: (ctx, { params, body }) => clusters.updateCluster(service, ctx, params.cluster_name, body),
    }),
    one.delete({
      summary: 'Delete a Kubernetes cluster',
      query: DeleteClusterQuery,
      response: TaskIds,
      handler: (ctx, { params, query }) =>
        clusters.deleteCluster(service, ctx, params.cluster_name, query.volumes),
    }),
    one.at('certificates').get({
      summary: 'Get the certificate authority of a cluster',
      access: 'write',
      response: Certificates,
      handler: (ctx, { params }) => reads.readCertificates(service, ctx, params.cluster_name),
    }),
    one.at('config').get({
      operationId: 'getKubeconfig',
      sensitive: true,
      summary: 'Get the kubeconfig of a cluster',
      access: 'write',
      response: Kubeconfig,
      handler: (ctx, { params }) => reads.readKubeconfig(service, ctx, params.cluster_name),
    }),
    one.at('upgrade_versions').get({
      summary: 'List the versions that a cluster may be brought to',
      query: PageQuery,
      response: VersionList,
      handler: (ctx, { params, query }) =>
        reads.listUpgradeVersions(service, ctx, params.cluster_name, query),
    }),
    one.at('upgrade').post({
      summary: 'Bring a cluster to another version',
      body: UpgradeCluster,
      response: TaskIds,
      handler: (ctx, { params, body }) =>
        clusters.upgradeCluster(service, ctx, params.cluster_name, body.version),
    }),
    one.at('instances').get({
      summary: 'List the nodes of a cluster',
      query: NodeListQuery,
      response: InstanceList,
      handler: (ctx, { params, query }) => reads.listNodes(ctx, { cluster: params.cluster_name }, query),
    }),
    one.at('instances/{instance_id}', NodeParams.properties).delete({
      summary: 'Delete a node of a cluster; a new one replaces it',
      status: 204,
      handler: (ctx, { params }) =>
        pools.deleteNode(service, ctx, { cluster: params.cluster_name }, params.instance_id),
    }),
  ];
}
