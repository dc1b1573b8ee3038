import { recordLook } from '../../platform/audit/audit.ts';
import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
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
const REQUESTS = plainPath(tag, '/virga/v1/limits_requests');
const QUOTAS = clientPath(tag, '/virga/v1/clients/{client_id}/quotas', ClientParams.properties);

const decision = (verb: 'approve' | 'reject', summary: string, status: 'done' | 'rejected') =>
  REQUESTS.at(`{request_id}/${verb}`, LimitsRequestParams.properties).post({
    summary,
    access,
    response: LimitsRequest,
    handler: (ctx, { params }) => decideLimitsRequest(ctx, params.request_id, status),
  });

export const operatorQuotaRoutes: readonly Route[] = [
  QUOTAS.get({
    operationId: 'getQuotasOfClient',
    summary: 'Get all quotas of a client',
    access,
    response: ClientQuotas,
    handler: async (ctx) => {
      await recordLook(ctx, 'quotas');
      return getQuotas(ctx, ctx.clientId);
    },
  }),
  QUOTAS.patch({
    operationId: 'setQuotasOfClient',
    summary: 'Set limits of a client; those not named stay',
    access,
    body: Limits,
    response: ClientQuotas,
    handler: (ctx, { body }) => changeLimits(ctx, body),
  }),
  REQUESTS.get({
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
