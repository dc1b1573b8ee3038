import { Type } from '@sinclair/typebox';
import { Forbidden, NotFound } from '../../kernel/errors.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import type { KubernetesService } from './access.ts';
import { NODE_CONDITIONS, type NodeCondition } from './port.ts';
import { reportNeededNodes, reportNodeCondition } from './signals.ts';

/** How operators make nodes of simulated regions fail, and their pools need more or fewer of them. */

const condition = () => StringEnum(NODE_CONDITIONS);
const need = () => Nullable(Type.Integer({ minimum: 0, maximum: 1000 }));

const TellCondition = Type.Object({ condition: condition() }, { $id: 'TellK8sNodeCondition' });
const ReportedCondition = Type.Object(
  { instance_id: Uuid(), condition: condition() },
  { $id: 'K8sNodeCondition' },
);
const TellNeed = Type.Object({ needed_nodes: need() }, { $id: 'TellK8sPoolNeed' });
const ReportedNeed = Type.Object({ pool_id: Uuid(), needed_nodes: need() }, { $id: 'K8sPoolNeed' });

const access = 'operate';
const simulation = plainPath('Operator', '/virga/v1/simulation/{region_id}');

export const operatorKubernetesRoutes = (service: KubernetesService): readonly Route[] => [
  simulation.at('k8s_nodes/{instance_id}', { region_id: Key(), instance_id: Uuid() }).put({
    operationId: 'simulateNode',
    summary: 'Say how a node of a simulated region is',
    access,
    body: TellCondition,
    response: ReportedCondition,
    handler: (ctx, { params, body }) =>
      reportCondition(service, ctx, params.region_id, params.instance_id, body.condition),
  }),
  simulation.at('k8s_pools/{pool_id}', { region_id: Key(), pool_id: Uuid() }).put({
    operationId: 'simulateClusterPool',
    summary: 'Say how many nodes the pods of a pool in a simulated region need',
    access,
    body: TellNeed,
    response: ReportedNeed,
    handler: (ctx, { params, body }) =>
      reportNeed(service, ctx, params.region_id, params.pool_id, body.needed_nodes),
  }),
];

/** @throws Forbidden where machines are real */
function requireSimulated(service: KubernetesService, regionId: number): void {
  if (!service.providerOf(regionId)?.acceptsSignals)
    throw new Forbidden(`Region ${regionId} does not simulate Kubernetes`);
}

async function reportCondition(
  service: KubernetesService,
  ctx: RequestContext,
  regionId: number,
  id: string,
  condition: NodeCondition,
) {
  requireSimulated(service, regionId);
  if (!(await reportNodeCondition(ctx.db, regionId, id, condition)))
    throw new NotFound(`Region ${regionId} has no Kubernetes node ${id}`);
  return { instance_id: id, condition };
}

async function reportNeed(
  service: KubernetesService,
  ctx: RequestContext,
  regionId: number,
  id: string,
  needed: number | null,
) {
  requireSimulated(service, regionId);
  if (!(await reportNeededNodes(ctx.db, regionId, id, needed)))
    throw new NotFound(`Region ${regionId} has no Kubernetes pool ${id}`);
  return { pool_id: id, needed_nodes: needed };
}
