import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../../platform/http/tags.ts';
import { planSubnet } from './rules.ts';
import { CreateSubnet, Subnet, SubnetList, SubnetListQuery, UpdateSubnet } from './schema.ts';
import type { SubnetService } from './service.ts';

const tag = 'Networks';
const all = '/cloud/v1/subnets/{project_id}/{region_id}';
const one = `${all}/{subnet_id}`;
const params = Type.Object({ ...RegionParams.properties, subnet_id: Uuid() });

export function subnetRoutes(service: SubnetService): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Create a subnet',
      access: 'write',
      params: RegionParams,
      body: CreateSubnet,
      rules: ({ cidr, ...body }, faults) => {
        if (cidr !== undefined) planSubnet({ ...body, cidr }, faults);
        givenTags(body, faults);
      },
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List subnets',
      access: 'read',
      params: RegionParams,
      query: SubnetListQuery,
      response: SubnetList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a subnet',
      access: 'read',
      params,
      response: Subnet,
      handler: (ctx, { params: { subnet_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one,
      tag,
      summary: 'Change a subnet',
      access: 'write',
      params,
      body: UpdateSubnet,
      rules: checkTagChanges,
      response: Subnet,
      handler: (ctx, { params: { subnet_id: id }, body }) => service.update(ctx, id, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a subnet that nothing uses',
      access: 'write',
      params,
      response: TaskIds,
      handler: (ctx, { params: { subnet_id: id } }) => service.delete(ctx, id),
    }),
  ];
}
