import { clientRoute, type Route, route } from '../../platform/http/route.ts';
import { decideLimitsRequest, listLimitsRequests } from './limits-requests.ts';
import {
  ClientParams,
  ClientQuotas,
  Limits,
  LimitsRequest,
  LimitsRequestList,
  LimitsRequestParams,
  LimitsRequestQuery,
} from './schema.ts';
import { changeLimits, getQuotas } from './service.ts';

const tag = 'Operator';
const access = 'operate';
const REQUESTS = '/virga/v1/limits_requests';
const QUOTAS = '/virga/v1/clients/{client_id}/quotas';

const decision = (verb: 'approve' | 'reject', summary: string, status: 'done' | 'rejected') =>
  route({
    method: 'POST',
    path: `${REQUESTS}/{request_id}/${verb}`,
    tag,
    summary,
    access,
    params: LimitsRequestParams,
    response: LimitsRequest,
    handler: (ctx, { params }) => decideLimitsRequest(ctx, params.request_id, status),
  });

export const operatorQuotaRoutes: readonly Route[] = [
  clientRoute({
    method: 'GET',
    path: QUOTAS,
    tag,
    operationId: 'getQuotasOfClient',
    summary: 'Get all quotas of a client',
    access,
    params: ClientParams,
    response: ClientQuotas,
    handler: (ctx) => getQuotas(ctx, ctx.clientId),
  }),
  clientRoute({
    method: 'PATCH',
    path: QUOTAS,
    tag,
    operationId: 'setQuotasOfClient',
    summary: 'Set limits of a client; those not named stay',
    access,
    params: ClientParams,
    body: Limits,
    response: ClientQuotas,
    handler: (ctx, { body }) => changeLimits(ctx, body),
  }),
  route({
    method: 'GET',
    path: REQUESTS,
    tag,
    operationId: 'listLimitsRequestsOfAll',
    summary: 'List the limits requests of all clients, newest first',
    access,
    query: LimitsRequestQuery,
    response: LimitsRequestList,
    handler: (ctx, { query }) => listLimitsRequests(ctx.db, undefined, query),
  }),
  decision('approve', 'Grant a limits request; its limits hold at once', 'done'),
  decision('reject', 'Reject a limits request', 'rejected'),
];
