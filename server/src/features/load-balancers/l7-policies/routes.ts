import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { checkPolicy } from './rules.ts';
import * as schema from './schema.ts';
import type { L7PolicyService } from './service.ts';

export const tag = 'Load balancer L7 policies';
const all = '/cloud/v1/l7policies/{project_id}/{region_id}';
export const onePolicy = `${all}/{l7policy_id}`;
const params = schema.PolicyParams;

export const policyRoutes = (service: L7PolicyService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create an L7 policy',
    description: limitsInWords('policy'),
    access: 'write',
    params: RegionParams,
    body: schema.CreatePolicy,
    rules: checkPolicy,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List L7 policies',
    access: 'read',
    params: RegionParams,
    query: schema.PolicyListQuery,
    response: schema.PolicyList,
    handler: (ctx, { query }) => reads.listPolicies(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: onePolicy,
    tag,
    summary: 'Get an L7 policy',
    access: 'read',
    params,
    response: schema.Policy,
    handler: (ctx, { params: { l7policy_id: id } }) => reads.getPolicy(ctx, id),
  }),
  regionRoute({
    method: 'PATCH',
    path: onePolicy,
    tag,
    summary: 'Change an L7 policy',
    access: 'write',
    params,
    body: schema.UpdatePolicy,
    rules: checkPolicy,
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: onePolicy,
    tag,
    summary: 'Delete an L7 policy with its rules',
    access: 'write',
    params,
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id } }) => service.delete(ctx, id),
  }),
];
