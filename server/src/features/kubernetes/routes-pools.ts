import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds } from '../../platform/http/schemas.ts';
import { InstanceList } from '../instances/index.ts';
import type { KubernetesService } from './access.ts';
import * as pools from './pools.ts';
import * as reads from './reads.ts';
import { checkPool, checkPoolChange } from './rules.ts';
import { Pool, PoolList } from './schema.ts';
import {
  ClusterParams,
  CreatePool,
  NodeListQuery,
  PageQuery,
  PoolNodeParams,
  PoolParams,
  ResizePool,
  UpdatePool,
} from './schema-input.ts';

const one = regionPath(
  'Kubernetes',
  '/cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}',
  ClusterParams.properties,
);
const pool = one.at('pools/{pool_name}', PoolParams.properties);

const namesOf = (params: { readonly cluster_name: string; readonly pool_name: string }) => ({
  cluster: params.cluster_name,
  pool: params.pool_name,
});

export const poolRoutes = (service: KubernetesService): readonly Route[] => [
  one.at('pools').post({
    summary: 'Add a pool to a cluster',
    takes: () => ['disk', 'memory'],
    body: CreatePool,
    rules: (body, faults) => checkPool(faults, '', body),
    response: TaskIds,
    handler: (ctx, { params, body }) => pools.createPool(service, ctx, params.cluster_name, body),
  }),
  one.at('pools').get({
    summary: 'List the pools of a cluster',
    query: PageQuery,
    response: PoolList,
    handler: (ctx, { params, query }) => reads.listPools(ctx, params.cluster_name, query),
  }),
  pool.get({
    summary: 'Get a pool',
    response: Pool,
    handler: (ctx, { params }) => reads.readPool(ctx, params.cluster_name, params.pool_name),
  }),
  pool.patch({
    summary: 'Change a pool',
    body: UpdatePool,
    rules: checkPoolChange,
    response: Pool,
    handler: (ctx, { params, body }) => pools.updatePool(service, ctx, namesOf(params), body),
  }),
  pool.delete({
    summary: 'Delete a pool',
    response: TaskIds,
    handler: (ctx, { params }) => pools.deletePool(service, ctx, namesOf(params)),
  }),
  pool.at('resize').post({
    summary: 'Give a pool another size',
    body: ResizePool,
    response: TaskIds,
    handler: (ctx, { params, body }) => pools.resizePool(service, ctx, namesOf(params), body.node_count),
  }),
  pool.at('instances').get({
    summary: 'List the nodes of a pool',
    query: NodeListQuery,
    response: InstanceList,
    handler: (ctx, { params, query }) => reads.listNodes(ctx, namesOf(params), query),
  }),
  pool.at('instances/{instance_id}', PoolNodeParams.properties).delete({
    summary: 'Delete a node of a pool; a new one replaces it',
    status: 204,
    handler: (ctx, { params }) => pools.deleteNode(service, ctx, namesOf(params), params.instance_id),
  }),
];
