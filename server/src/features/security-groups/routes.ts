import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../platform/http/schemas.ts';
import type { SecurityGroupChanges } from './changes.ts';
import type { FilteredInstances } from './common.ts';
import { checkGivenRule, checkGroup, checkGroupChanges } from './rules.ts';
import {
  CopySecurityGroup,
  CreateSecurityGroup,
  RuleInput,
  SecurityGroup,
  SecurityGroupList,
  SecurityGroupListQuery,
  UpdateSecurityGroup,
} from './schema.ts';
import type { SecurityGroupService } from './service.ts';

const tag = 'Security groups';
export const all = regionPath(tag, '/cloud/v1/securitygroups/{project_id}/{region_id}');
const allV2 = regionPath(tag, '/cloud/v2/security_groups/{project_id}/{region_id}');
export const one = all.at('{group_id}', { group_id: Uuid() });
const oneV2 = allV2.at('{group_id}', { group_id: Uuid() });

export const securityGroupRoutes = (
  service: SecurityGroupService,
  instances: FilteredInstances,
): readonly Route[] => [
  allV2.post({
    summary: 'Create a security group',
    body: CreateSecurityGroup,
    rules: checkGroup,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List security groups with their rules',
    query: SecurityGroupListQuery,
    response: SecurityGroupList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  one.get({
    summary: 'Get a security group with its rules',
    response: SecurityGroup,
    handler: (ctx, { params: { group_id: id } }) => service.get(ctx, id),
  }),
  one.at('instances').get({
    summary: 'List the instances that a security group filters',
    response: instances.schema,
    handler: (ctx, { params: { group_id: id } }) => service.instances(ctx, id),
  }),
  one.delete({
    summary: 'Delete a security group that nothing uses',
    status: 204,
    handler: (ctx, { params: { group_id: id } }) => service.delete(ctx, id),
  }),
  one.at('copy').post({
    summary: 'Copy a security group with its rules',
    body: CopySecurityGroup,
    response: SecurityGroup,
    handler: (ctx, { params: { group_id: id }, body }) => service.copy(ctx, id, body.name),
  }),
];

export const securityGroupChangeRoutes = (
  changes: SecurityGroupChanges,
  service: SecurityGroupService,
): readonly Route[] => [
  oneV2.patch({
    summary: 'Change a security group; its rules become those that are given',
    body: UpdateSecurityGroup,
    rules: checkGroupChanges,
    response: TaskIds,
    handler: (ctx, { params: { group_id: id }, body }) => changes.update(ctx, id, body),
  }),
  oneV2.at('rules').post({
    summary: 'Add a rule to a security group',
    body: RuleInput,
    rules: checkGivenRule,
    response: TaskIds,
    handler: (ctx, { params: { group_id: id }, body }) => changes.addRule(ctx, id, body),
  }),
  oneV2.at('rules/{rule_id}', { rule_id: Uuid() }).delete({
    summary: 'Delete a rule of a security group',
    response: TaskIds,
    handler: (ctx, { params: { group_id: id, rule_id: rule } }) => changes.deleteRule(ctx, id, rule),
  }),
  one.at('revert').post({
    summary: 'Give a security group the rules of a default group: everything out; ICMP, SSH and RDP in',
    response: SecurityGroup,
    handler: async (ctx, { params: { group_id: id } }) => {
      await changes.revert(ctx, id);
      return service.get(ctx, id);
    },
  }),
];
