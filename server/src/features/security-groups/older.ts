import { type Static, Type } from '@sinclair/typebox';
import { Invalid } from '../../kernel/errors.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { metadataRoutes } from '../../platform/http/metadata-routes.ts';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../platform/http/schemas.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { SecurityGroupChanges } from './changes.ts';
import { ReviseSecurityGroup } from './revise.ts';
import { checkGivenRule } from './rules.ts';
import { CreateSecurityGroup, RuleInput, SecurityGroup, SecurityGroupRule } from './schema.ts';
import type { SecurityGroupService } from './service.ts';

/** What older clients call: changes that answer with the group or the rule when they are done. */

const tag = 'Security groups';
const all = '/cloud/v1/securitygroups/{project_id}/{region_id}';
const one = `${all}/{group_id}`;
const rule = '/cloud/v1/securitygrouprules/{project_id}/{region_id}/{rule_id}';
const params = Type.Object({ ...RegionParams.properties, group_id: Uuid() });
const ruleParams = Type.Object({ ...RegionParams.properties, rule_id: Uuid() });

const { rules: security_group_rules, ...traits } = CreateSecurityGroup.properties;
const OlderCreateSecurityGroup = Type.Object(
  {
    security_group: Type.Object({ ...traits, security_group_rules }),
    instances: Type.Optional(Type.Array(Type.String(), { description: 'Has to be empty.' })),
  },
  { $id: 'OlderCreateSecurityGroup' },
);

/** @throws Invalid for instances: they get groups by a call of their own */
function newGroup({ security_group: group, instances = [] }: Static<typeof OlderCreateSecurityGroup>) {
  if (instances.length > 0) {
    throw new Invalid({
      instances: ['must be empty; call …/instances/{instance_id}/addsecuritygroup instead'],
    });
  }
  const { security_group_rules: rules, ...rest } = group;
  return rules === undefined ? rest : { ...rest, rules };
}

interface Services {
  readonly service: SecurityGroupService;
  readonly changes: SecurityGroupChanges;
  readonly tasks: TaskReads;
}

export const olderSecurityGroupRoutes = (services: Services): readonly Route[] => [
  ...olderGroupRoutes(services),
  ...olderRuleRoutes(services),
];

function olderGroupRoutes({ service, changes, tasks }: Services): readonly Route[] {
  const change = async (ctx: RegionContext, id: string, input: ReviseSecurityGroup) => {
    const task = await changes.revise(ctx, id, input);
    await tasks.settled(ctx, task, `Security group ${id} could not be changed`);
    return service.get(ctx, id);
  };
  const common = { tag, deprecated: true, access: 'write', response: SecurityGroup } as const;
  return [
    regionRoute({
      ...common,
      method: 'POST',
      path: all,
      summary: 'Create a security group and get it',
      params: RegionParams,
      body: OlderCreateSecurityGroup,
      handler: (ctx, { body }) => service.createNow(ctx, newGroup(body)),
    }),
    regionRoute({
      ...common,
      method: 'PATCH',
      path: one,
      summary: 'Change the name, tags or single rules of a security group and get it back',
      params,
      body: ReviseSecurityGroup,
      handler: (ctx, { params: { group_id: id }, body }) => change(ctx, id, body),
    }),
    ...metadataRoutes({
      tag,
      noun: 'a security group',
      path: one,
      tags: async (ctx, id) => (await service.get(ctx, id)).tags_v2,
      patch: (ctx, id, tags) => change(ctx, id, { tags }),
    }),
  ];
}

const olderRuleRoutes = ({ service, changes, tasks }: Services): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: `${one}/rules`,
    tag,
    summary: 'Add a rule to a security group and get it',
    deprecated: true,
    access: 'write',
    params,
    body: RuleInput,
    rules: checkGivenRule,
    response: SecurityGroupRule,
    handler: async (ctx, { params: { group_id: id }, body }) =>
      service.rule(ctx, await changes.addRuleNow(ctx, id, body)),
  }),
  regionRoute({
    method: 'PUT',
    path: rule,
    tag,
    summary: 'Replace a rule by another one with the same id',
    deprecated: true,
    access: 'write',
    params: ruleParams,
    body: RuleInput,
    rules: checkGivenRule,
    response: SecurityGroupRule,
    handler: async (ctx, { params: { rule_id: id }, body }) => {
      const { security_group_id: group } = await service.rule(ctx, id);
      await changes.replaceRule(ctx, group, id, body);
      return service.rule(ctx, id);
    },
  }),
  regionRoute({
    method: 'DELETE',
    path: rule,
    tag,
    summary: 'Delete a rule, whichever security group it belongs to',
    deprecated: true,
    access: 'write',
    params: ruleParams,
    status: 204,
    handler: async (ctx, { params: { rule_id: id } }) => {
      const { security_group_id: group } = await service.rule(ctx, id);
      const task = await changes.deleteRule(ctx, group, id);
      await tasks.settled(ctx, task, `Rule ${id} could not be deleted`);
    },
  }),
];
