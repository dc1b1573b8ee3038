import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { checkPolicy } from './rules.ts';
import * as schema from './schema.ts';
import type { L7PolicyService } from './service.ts';

const all = regionPath('Load balancer L7 policies', '/cloud/v1/l7policies/{project_id}/{region_id}');
export const onePolicy = all.at('{l7policy_id}', schema.PolicyParams.properties);

export const policyRoutes = (service: L7PolicyService): readonly Route[] => [
  all.post({
    summary: 'Create an L7 policy',
    description: limitsInWords('policy'),
    body: schema.CreatePolicy,
    rules: checkPolicy,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List L7 policies',
    query: schema.PolicyListQuery,
    response: schema.PolicyList,
    handler: (ctx, { query }) => reads.listPolicies(ctx, query),
  }),
  onePolicy.get({
    summary: 'Get an L7 policy',
    response: schema.Policy,
    handler: (ctx, { params: { l7policy_id: id } }) => reads.getPolicy(ctx, id),
  }),
  onePolicy.patch({
    summary: 'Change an L7 policy',
    body: schema.UpdatePolicy,
    rules: checkPolicy,
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id }, body }) => service.update(ctx, id, body),
  }),
  onePolicy.delete({
    summary: 'Delete an L7 policy with its rules',
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id } }) => service.delete(ctx, id),
  }),
];
