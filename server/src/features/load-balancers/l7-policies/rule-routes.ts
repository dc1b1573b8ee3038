import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { onePolicy, tag } from './routes.ts';
import * as rules from './rule-schema.ts';
import type { L7RuleService } from './rule-service.ts';
import { checkRuleBody } from './rules.ts';
import { PolicyListQuery, PolicyParams } from './schema.ts';

const all = `${onePolicy}/rules`;
const one = `${all}/{l7rule_id}`;
const params = rules.RuleParams;

export const ruleRoutes = (service: L7RuleService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Add a rule to an L7 policy',
    description: limitsInWords('rule'),
    access: 'write',
    params: PolicyParams,
    body: rules.CreateRule,
    rules: (body, faults) => checkRuleBody({ ...body, key: body.key ?? null }, faults),
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id }, body }) => service.create(ctx, id, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List the rules of an L7 policy',
    access: 'read',
    params: PolicyParams,
    query: PolicyListQuery,
    response: rules.RuleList,
    handler: (ctx, { params: { l7policy_id: id }, query }) => reads.listRules(ctx, id, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a rule of an L7 policy',
    access: 'read',
    params,
    response: rules.Rule,
    handler: (ctx, { params: { l7policy_id: id, l7rule_id: rule } }) => reads.getRule(ctx, id, rule),
  }),
  regionRoute({
    method: 'PUT',
    path: one,
    tag,
    summary: 'Replace a rule of an L7 policy',
    access: 'write',
    params,
    body: rules.ReplaceRule,
    rules: checkRuleBody,
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id, l7rule_id: rule }, body }) =>
      service.replace(ctx, id, rule, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a rule of an L7 policy',
    access: 'write',
    params,
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id, l7rule_id: rule } }) => service.delete(ctx, id, rule),
  }),
];
