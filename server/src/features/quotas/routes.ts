import { clientRoute, type Route, route } from '../../platform/http/route.ts';
import {
  createLimitsRequest,
  deleteLimitsRequest,
  getLimitsRequest,
  listLimitsRequests,
  MAX_OPEN,
} from './limits-requests.ts';
import {
  ClientParams,
  ClientQuotas,
  ClientRegionParams,
  CreateLimitsRequest,
  GlobalQuotas,
  LimitsRequest,
  LimitsRequestList,
  LimitsRequestParams,
  LimitsRequestQuery,
  PutThreshold,
  RegionalQuotas,
  Threshold,
} from './schema.ts';
import { getGlobalQuotas, getQuotas, getRegionalQuotas } from './service.ts';
import { deleteThreshold, getThreshold, putThreshold } from './thresholds.ts';

const tag = 'Quotas';
const THRESHOLD = '/cloud/v2/client_quotas/{client_id}/notification_threshold';
const REQUESTS = '/cloud/v2/limits_request';

const reads: readonly Route[] = [
  route({
    method: 'GET',
    path: '/cloud/v2/client_quotas',
    tag,
    operationId: 'getQuotas',
    summary: 'Get all quotas of the account',
    access: 'read',
    response: ClientQuotas,
    handler: (ctx) => getQuotas(ctx, ctx.caller.clientId),
  }),
  clientRoute({
    method: 'GET',
    path: '/cloud/v2/global_quotas/{client_id}',
    tag,
    operationId: 'getGlobalQuotas',
    summary: 'Get the quotas that count over all regions',
    access: 'read',
    params: ClientParams,
    response: GlobalQuotas,
    handler: (ctx) => getGlobalQuotas(ctx),
  }),
  clientRoute({
    method: 'GET',
    path: '/cloud/v2/regional_quotas/{client_id}/{region_id}',
    tag,
    operationId: 'getRegionalQuotas',
    summary: 'Get the quotas of one region',
    access: 'read',
    params: ClientRegionParams,
    response: RegionalQuotas,
    handler: (ctx, { params }) => getRegionalQuotas(ctx, params.region_id),
  }),
];

const thresholds: readonly Route[] = [
  clientRoute({
    method: 'GET',
    path: THRESHOLD,
    tag,
    operationId: 'getQuotaThreshold',
    summary: 'Get the usage at which the account is warned, in percent',
    access: 'read',
    params: ClientParams,
    response: Threshold,
    handler: (ctx) => getThreshold(ctx),
  }),
  clientRoute({
    method: 'PUT',
    path: THRESHOLD,
    tag,
    operationId: 'setQuotaThreshold',
    summary: 'Set the usage at which the account is warned, in percent',
    access: 'administer',
    params: ClientParams,
    body: PutThreshold,
    emptyIsGiven: true,
    response: Threshold,
    handler: (ctx, { body }) => putThreshold(ctx, body),
  }),
  clientRoute({
    method: 'DELETE',
    path: THRESHOLD,
    tag,
    operationId: 'deleteQuotaThreshold',
    summary: 'Go back to the usual threshold of 80 percent',
    access: 'administer',
    params: ClientParams,
    status: 204,
    handler: (ctx) => deleteThreshold(ctx),
  }),
];

const requests: readonly Route[] = [
  route({
    method: 'POST',
    path: REQUESTS,
    tag,
    summary: 'Ask for other limits',
    description: `An account has at most ${MAX_OPEN} requests that are not decided.`,
    access: 'administer',
    body: CreateLimitsRequest,
    status: 201,
    response: LimitsRequest,
    handler: (ctx, { body }) => createLimitsRequest(ctx, body),
  }),
  route({
    method: 'GET',
    path: REQUESTS,
    tag,
    summary: 'List what was asked for, newest first',
    access: 'read',
    query: LimitsRequestQuery,
    response: LimitsRequestList,
    handler: (ctx, { query }) => listLimitsRequests(ctx.db, ctx.caller.clientId, query),
  }),
  route({
    method: 'GET',
    path: `${REQUESTS}/{request_id}`,
    tag,
    summary: 'Get a request for other limits',
    access: 'read',
    params: LimitsRequestParams,
    response: LimitsRequest,
    handler: (ctx, { params }) => getLimitsRequest(ctx, params.request_id),
  }),
  route({
    method: 'DELETE',
    path: `${REQUESTS}/{request_id}`,
    tag,
    summary: 'Withdraw a request that is not decided yet',
    access: 'administer',
    params: LimitsRequestParams,
    status: 204,
    handler: (ctx, { params }) => deleteLimitsRequest(ctx, params.request_id),
  }),
];

export const quotaRoutes: readonly Route[] = [...reads, ...thresholds, ...requests];
