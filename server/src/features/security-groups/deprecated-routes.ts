import { type Static, Type } from '@sinclair/typebox';
import { Invalid } from '../../kernel/errors.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { metadataRoutes } from '../../platform/http/metadata-routes.ts';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schemas.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { SecurityGroupChanges } from './changes.ts';
import { ReviseSecurityGroup } from './revise.ts';
import { all, one } from './routes.ts';
import { checkGivenRule } from './rules.ts';
import { CreateSecurityGroup, RuleInput, SecurityGroup, SecurityGroupRule } from './schema.ts';
import type { SecurityGroupService } from './service.ts';

/** What older clients call: changes that answer with the group or the rule when they are done. */

const rule = regionPath(
  'Security groups',
  '/cloud/v1/securitygrouprules/{project_id}/{region_id}/{rule_id}',
  {
    rule_id: Uuid(),
  },
);

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

export const deprecatedSecurityGroupRoutes = (services: Services): readonly Route[] => [
  ...deprecatedGroupRoutes(services),
  ...deprecatedRuleRoutes(services),
];

function deprecatedGroupRoutes({ service, changes, tasks }: Services): readonly Route[] {
  const change = async (ctx: RegionContext, id: string, input: ReviseSecurityGroup) => {
    const task = await changes.revise(ctx, id, input);
    await tasks.settled(ctx, task, `Security group ${id} could not be changed`);
    return service.get(ctx, id);
  };
  return [
    all.post({
      summary: 'Create a security group and get it',
      deprecated: true,
      body: OlderCreateSecurityGroup,
      response: SecurityGroup,
      handler: (ctx, { body }) => service.createNow(ctx, newGroup(body)),
    }),
    one.patch({
      summary: 'Change the name, tags or single rules of a security group and get it back',
      deprecated: true,
      body: ReviseSecurityGroup,
      response: SecurityGroup,
      handler: (ctx, { params: { group_id: id }, body }) => change(ctx, id, body),
    }),
    ...metadataRoutes({
      noun: 'a security group',
      at: one,
      tags: async (ctx, id) => (await service.get(ctx, id)).tags_v2,
      patch: (ctx, id, tags) => change(ctx, id, { tags }),
    }),
  ];
}

const deprecatedRuleRoutes = ({ service, changes, tasks }: Services): readonly Route[] => [
  one.at('rules').post({
    summary: 'Add a rule to a security group and get it',
    deprecated: true,
    body: RuleInput,
    rules: checkGivenRule,
    response: SecurityGroupRule,
    handler: async (ctx, { params: { group_id: id }, body }) =>
      service.rule(ctx, await changes.addRuleNow(ctx, id, body)),
  }),
  rule.put({
    summary: 'Replace a rule by another one with the same id',
    deprecated: true,
    body: RuleInput,
    rules: checkGivenRule,
    response: SecurityGroupRule,
    handler: async (ctx, { params: { rule_id: id }, body }) => {
      const { security_group_id: group } = await service.rule(ctx, id);
      await changes.replaceRule(ctx, group, id, body);
      return service.rule(ctx, id);
    },
  }),
  rule.delete({
    summary: 'Delete a rule, whichever security group it belongs to',
    deprecated: true,
    status: 204,
    handler: async (ctx, { params: { rule_id: id } }) => {
      const { security_group_id: group } = await service.rule(ctx, id);
      const task = await changes.deleteRule(ctx, group, id);
      await tasks.settled(ctx, task, `Rule ${id} could not be deleted`);
    },
  }),
];
