import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
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
const all = '/cloud/v1/securitygroups/{project_id}/{region_id}';
const allV2 = '/cloud/v2/security_groups/{project_id}/{region_id}';
const one = `${all}/{group_id}`;
const oneV2 = `${allV2}/{group_id}`;
const params = Type.Object({ ...RegionParams.properties, group_id: Uuid() });
const ruleParams = Type.Object({ ...params.properties, rule_id: Uuid() });

export const securityGroupRoutes = (
  service: SecurityGroupService,
  instances: FilteredInstances,
): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: allV2,
    tag,
    summary: 'Create a security group',
    access: 'write',
    params: RegionParams,
    body: CreateSecurityGroup,
    rules: checkGroup,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List security groups with their rules',
    access: 'read',
    params: RegionParams,
    query: SecurityGroupListQuery,
    response: SecurityGroupList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a security group with its rules',
    access: 'read',
    params,
    response: SecurityGroup,
    handler: (ctx, { params: { group_id: id } }) => service.get(ctx, id),
  }),
  regionRoute({
    method: 'GET',
    path: `${one}/instances`,
    tag,
    summary: 'List the instances that a security group filters',
    access: 'read',
    params,
    response: instances.schema,
    handler: (ctx, { params: { group_id: id } }) => service.instances(ctx, id),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a security group that nothing uses',
    access: 'write',
    params,
    status: 204,
    handler: (ctx, { params: { group_id: id } }) => service.delete(ctx, id),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/copy`,
    tag,
    summary: 'Copy a security group with its rules',
    access: 'write',
    params,
    body: CopySecurityGroup,
    response: SecurityGroup,
    handler: (ctx, { params: { group_id: id }, body }) => service.copy(ctx, id, body.name),
  }),
];

export const securityGroupChangeRoutes = (
  changes: SecurityGroupChanges,
  service: SecurityGroupService,
): readonly Route[] => [
  regionRoute({
    method: 'PATCH',
    path: oneV2,
    tag,
    summary: 'Change a security group; its rules become those that are given',
    access: 'write',
    params,
    body: UpdateSecurityGroup,
    rules: checkGroupChanges,
    response: TaskIds,
    handler: (ctx, { params: { group_id: id }, body }) => changes.update(ctx, id, body),
  }),
  regionRoute({
    method: 'POST',
    path: `${oneV2}/rules`,
    tag,
    summary: 'Add a rule to a security group',
    access: 'write',
    params,
    body: RuleInput,
    rules: checkGivenRule,
    response: TaskIds,
    handler: (ctx, { params: { group_id: id }, body }) => changes.addRule(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: `${oneV2}/rules/{rule_id}`,
    tag,
    summary: 'Delete a rule of a security group',
    access: 'write',
    params: ruleParams,
    response: TaskIds,
    handler: (ctx, { params: { group_id: id, rule_id: rule } }) => changes.deleteRule(ctx, id, rule),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/revert`,
    tag,
    summary: 'Make a security group let everything in and out',
    access: 'write',
    params,
    response: SecurityGroup,
    handler: async (ctx, { params: { group_id: id } }) => {
      await changes.revert(ctx, id);
      return service.get(ctx, id);
    },
  }),
];
