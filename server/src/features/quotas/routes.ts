import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
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
const THRESHOLD = clientPath(
  tag,
  '/cloud/v2/client_quotas/{client_id}/notification_threshold',
  ClientParams.properties,
);
const REQUESTS = plainPath(tag, '/cloud/v2/limits_request');

const reads: readonly Route[] = [
  plainPath(tag, '/cloud/v2/client_quotas').get({
    operationId: 'getQuotas',
    summary: 'Get all quotas of the account',
    access: 'read',
    response: ClientQuotas,
    handler: (ctx) => getQuotas(ctx, ctx.caller.clientId),
  }),
  clientPath(tag, '/cloud/v2/global_quotas/{client_id}', ClientParams.properties).get({
    operationId: 'getGlobalQuotas',
    summary: 'Get the quotas that count over all regions',
    access: 'read',
    response: GlobalQuotas,
    handler: (ctx) => getGlobalQuotas(ctx),
  }),
  clientPath(tag, '/cloud/v2/regional_quotas/{client_id}/{region_id}', ClientRegionParams.properties).get({
    operationId: 'getRegionalQuotas',
    summary: 'Get the quotas of one region',
    access: 'read',
    response: RegionalQuotas,
    handler: (ctx, { params }) => getRegionalQuotas(ctx, params.region_id),
  }),
];

const thresholds: readonly Route[] = [
  THRESHOLD.get({
    operationId: 'getQuotaThreshold',
    summary: 'Get the usage at which the account is warned, in percent',
    access: 'read',
    response: Threshold,
    handler: (ctx) => getThreshold(ctx),
  }),
  THRESHOLD.put({
    operationId: 'setQuotaThreshold',
    summary: 'Set the usage at which the account is warned, in percent',
    access: 'administer',
    body: PutThreshold,
    emptyIsGiven: true,
    response: Threshold,
    handler: (ctx, { body }) => putThreshold(ctx, body),
  }),
  THRESHOLD.delete({
    operationId: 'deleteQuotaThreshold',
    summary: 'Go back to the usual threshold of 80 percent',
    access: 'administer',
    status: 204,
    handler: (ctx) => deleteThreshold(ctx),
  }),
];

const requests: readonly Route[] = [
  REQUESTS.post({
    summary: 'Ask for other limits',
    description: `An account has at most ${MAX_OPEN} requests that are not decided.`,
    access: 'administer',
    body: CreateLimitsRequest,
    status: 201,
    response: LimitsRequest,
    handler: (ctx, { body }) => createLimitsRequest(ctx, body),
  }),
  REQUESTS.get({
    summary: 'List what was asked for, newest first',
    access: 'read',
    query: LimitsRequestQuery,
    response: LimitsRequestList,
    handler: (ctx, { query }) => listLimitsRequests(ctx.db, ctx.caller.clientId, query),
  }),
  REQUESTS.at('{request_id}', LimitsRequestParams.properties).get({
    summary: 'Get a request for other limits',
    access: 'read',
    response: LimitsRequest,
    handler: (ctx, { params }) => getLimitsRequest(ctx, params.request_id),
  }),
  REQUESTS.at('{request_id}', LimitsRequestParams.properties).delete({
    summary: 'Withdraw a request that is not decided yet',
    access: 'administer',
    status: 204,
    handler: (ctx, { params }) => deleteLimitsRequest(ctx, params.request_id),
  }),
];

export const quotaRoutes: readonly Route[] = [...reads, ...thresholds, ...requests];
