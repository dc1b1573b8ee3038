import { Type } from '@sinclair/typebox';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schemas.ts';
import { ItemPrice } from '../../platform/prices/schema.ts';
import { CreateReservedFixedIp } from '../networking/reserved-fixed-ips/index.ts';
import type { Previews } from './previews.ts';
import { checkCluster, checkInstances, checkLoadBalancer, checkVolume } from './rules.ts';
import {
  ClusterPrice,
  InstancesPrice,
  LoadBalancerPrice,
  PriceCluster,
  PriceFloatingIps,
  PriceImage,
  PriceInstances,
  PriceLoadBalancer,
  PriceLoadBalancerWithAddresses,
  PriceSnapshot,
  PriceVolume,
} from './schema.ts';

const TAG = 'Pricing';
const V1 = '/cloud/v1/pricing/{project_id}/{region_id}';
const V2 = '/cloud/v2/pricing/{project_id}/{region_id}';

/** They change nothing, so that whoever may read may ask. */
export function pricingRoutes(previews: Previews): readonly Route[] {
  const at = (path: string) => regionPath(TAG, path);
  return [
    at(`${V1}/floating_ips`).post({
      operationId: 'priceFloatingIps',
      summary: 'Say what floating IPs would cost',
      access: 'read',
      body: PriceFloatingIps,
      response: ItemPrice,
      handler: async (_ctx, { body }) => previews.floatingIps(body),
    }),
    at(`${V1}/images`).post({
      operationId: 'priceImage',
      summary: 'Say what an image would cost',
      access: 'read',
      body: PriceImage,
      response: ItemPrice,
      handler: async (_ctx, { body }) => previews.image(body),
    }),
    at(`${V1}/reserved_fixed_ips`).post({
      operationId: 'priceReservedFixedIp',
      summary: 'Say what a reserved fixed IP would cost',
      access: 'read',
      body: CreateReservedFixedIp,
      response: ItemPrice,
      handler: async (_ctx, { body }) => previews.reservedFixedIp(body),
    }),
    at(`${V1}/snapshots`).post({
      operationId: 'priceSnapshot',
      summary: 'Say what a snapshot of a volume would cost',
      access: 'read',
      body: PriceSnapshot,
      response: ItemPrice,
      handler: (ctx, { body }) => previews.snapshot(ctx, body),
    }),
    at(`${V1}/volumes`).post({
      operationId: 'priceVolume',
      summary: 'Say what a volume would cost',
      access: 'read',
      body: PriceVolume,
      rules: (body, faults) => checkVolume(body, faults),
      response: ItemPrice,
      handler: (ctx, { body }) => previews.volume(ctx, body),
    }),
    at(`${V2}/instances`).post({
      operationId: 'priceInstances',
      summary: 'Say what instances would cost, with their volumes and addresses',
      access: 'read',
      body: PriceInstances,
      rules: checkInstances,
      response: InstancesPrice,
      handler: (ctx, { body }) => previews.instances(ctx, body),
    }),
    regionPath(TAG, `${V1}/instances/{instance_id}`, { instance_id: Uuid() }).get({
      operationId: 'getInstancePrice',
      summary: 'Say what an instance costs, with its volumes and addresses',
      response: ItemPrice,
      handler: (ctx, { params }) => previews.instance(ctx, params.instance_id),
    }),
    at(`${V1}/loadbalancers`).post({
      operationId: 'priceLoadBalancer',
      summary: 'Say what a load balancer would cost',
      access: 'read',
      body: PriceLoadBalancer,
      rules: checkLoadBalancer,
      response: ItemPrice,
      handler: async (_ctx, { body }) => previews.loadBalancer(body),
    }),
    at(`${V2}/loadbalancers`).post({
      operationId: 'priceLoadBalancerWithAddresses',
      summary: 'Say what a load balancer would cost, with its addresses',
      access: 'read',
      body: PriceLoadBalancerWithAddresses,
      rules: checkLoadBalancer,
      response: LoadBalancerPrice,
      handler: async (_ctx, { body }) => previews.loadBalancerWithAddresses(body),
    }),
    at(`${V2}/k8s/clusters`).post({
      operationId: 'priceKubernetesCluster',
      summary: 'Say what a Kubernetes cluster would cost',
      access: 'read',
      body: PriceCluster,
      rules: checkCluster,
      response: ClusterPrice,
      handler: async (_ctx, { body }) => previews.newCluster(body),
    }),
    regionPath(TAG, `${V2}/k8s/clusters/{cluster_name}`, {
      cluster_name: Type.String({ maxLength: 63 }),
    }).get({
      operationId: 'getKubernetesClusterPrice',
      summary: 'Say what a Kubernetes cluster costs',
      response: ClusterPrice,
      handler: (ctx, { params }) => previews.cluster(ctx, params.cluster_name),
    }),
  ];
}
