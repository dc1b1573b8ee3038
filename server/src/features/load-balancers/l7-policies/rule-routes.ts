import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { onePolicy } from './routes.ts';
import * as rules from './rule-schema.ts';
import type { L7RuleService } from './rule-service.ts';
import { checkRuleBody } from './rules.ts';
import { PolicyListQuery } from './schema.ts';

const all = onePolicy.at('rules');
const one = all.at('{l7rule_id}', rules.RuleParams.properties);

export const ruleRoutes = (service: L7RuleService): readonly Route[] => [
  all.post({
    summary: 'Add a rule to an L7 policy',
    description: limitsInWords('rule'),
    body: rules.CreateRule,
    rules: (body, faults) => checkRuleBody({ ...body, key: body.key ?? null }, faults),
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id }, body }) => service.create(ctx, id, body),
  }),
  all.get({
    summary: 'List the rules of an L7 policy',
    query: PolicyListQuery,
    response: rules.RuleList,
    handler: (ctx, { params: { l7policy_id: id }, query }) => reads.listRules(ctx, id, query),
  }),
  one.get({
    summary: 'Get a rule of an L7 policy',
    response: rules.Rule,
    handler: (ctx, { params: { l7policy_id: id, l7rule_id: rule } }) => reads.getRule(ctx, id, rule),
  }),
  one.put({
    summary: 'Replace a rule of an L7 policy',
    body: rules.ReplaceRule,
    rules: checkRuleBody,
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id, l7rule_id: rule }, body }) =>
      service.replace(ctx, id, rule, body),
  }),
  one.delete({
    summary: 'Delete a rule of an L7 policy',
    response: TaskIds,
    handler: (ctx, { params: { l7policy_id: id, l7rule_id: rule } }) => service.delete(ctx, id, rule),
  }),
];
