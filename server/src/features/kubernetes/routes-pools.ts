import { type Route, regionRoute } from '../../platform/http/route.ts';
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

const tag = 'Kubernetes';
const one = '/cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}';
const pool = `${one}/pools/{pool_name}`;

const namesOf = (params: { readonly cluster_name: string; readonly pool_name: string }) => ({
  cluster: params.cluster_name,
  pool: params.pool_name,
});

export const poolRoutes = (service: KubernetesService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: `${one}/pools`,
    tag,
    summary: 'Add a pool to a cluster',
    access: 'write',
    params: ClusterParams,
    body: CreatePool,
    rules: (body, faults) => checkPool(faults, '', body),
    response: TaskIds,
    handler: (ctx, { params, body }) => pools.createPool(service, ctx, params.cluster_name, body),
  }),
  regionRoute({
    method: 'GET',
    path: `${one}/pools`,
    tag,
    summary: 'List the pools of a cluster',
    access: 'read',
    params: ClusterParams,
    query: PageQuery,
    response: PoolList,
    handler: (ctx, { params, query }) => reads.listPools(ctx, params.cluster_name, query),
  }),
  regionRoute({
    method: 'GET',
    path: pool,
    tag,
    summary: 'Get a pool',
    access: 'read',
    params: PoolParams,
    response: Pool,
    handler: (ctx, { params }) => reads.readPool(ctx, params.cluster_name, params.pool_name),
  }),
  regionRoute({
    method: 'PATCH',
    path: pool,
    tag,
    summary: 'Change a pool',
    access: 'write',
    params: PoolParams,
    body: UpdatePool,
    rules: checkPoolChange,
    response: Pool,
    handler: (ctx, { params, body }) => pools.updatePool(service, ctx, namesOf(params), body),
  }),
  regionRoute({
    method: 'DELETE',
    path: pool,
    tag,
    summary: 'Delete a pool',
    access: 'write',
    params: PoolParams,
    response: TaskIds,
    handler: (ctx, { params }) => pools.deletePool(service, ctx, namesOf(params)),
  }),
  regionRoute({
    method: 'POST',
    path: `${pool}/resize`,
    tag,
    summary: 'Give a pool another size',
    access: 'write',
    params: PoolParams,
    body: ResizePool,
    response: TaskIds,
    handler: (ctx, { params, body }) => pools.resizePool(service, ctx, namesOf(params), body.node_count),
  }),
  regionRoute({
    method: 'GET',
    path: `${pool}/instances`,
    tag,
    summary: 'List the nodes of a pool',
    access: 'read',
    params: PoolParams,
    query: NodeListQuery,
    response: InstanceList,
    handler: (ctx, { params, query }) => reads.listNodes(ctx, namesOf(params), query),
  }),
  regionRoute({
    method: 'DELETE',
    path: `${pool}/instances/{instance_id}`,
    tag,
    summary: 'Delete a node of a pool; a new one replaces it',
    access: 'write',
    params: PoolNodeParams,
    status: 204,
    handler: (ctx, { params }) => pools.deleteNode(service, ctx, namesOf(params), params.instance_id),
  }),
];
