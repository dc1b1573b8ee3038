import { regionPath } from '../../../../platform/http/paths.ts';
import type { Route } from '../../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../../platform/http/tags.ts';
import { planSubnet } from './rules.ts';
import { CreateSubnet, Subnet, SubnetList, SubnetListQuery, UpdateSubnet } from './schema.ts';
import type { SubnetService } from './service.ts';

const all = regionPath('Networks', '/cloud/v1/subnets/{project_id}/{region_id}');
export const one = all.at('{subnet_id}', { subnet_id: Uuid() });

export function subnetRoutes(service: SubnetService): readonly Route[] {
  return [
    all.post({
      summary: 'Create a subnet',
      body: CreateSubnet,
      rules: ({ cidr, ...body }, faults) => {
        if (cidr !== undefined) planSubnet({ ...body, cidr }, faults);
        givenTags(body, faults);
      },
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List subnets',
      query: SubnetListQuery,
      response: SubnetList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get a subnet',
      response: Subnet,
      handler: (ctx, { params: { subnet_id: id } }) => service.get(ctx, id),
    }),
    one.patch({
      summary: 'Change a subnet',
      body: UpdateSubnet,
      rules: checkTagChanges,
      response: Subnet,
      handler: (ctx, { params: { subnet_id: id }, body }) => service.update(ctx, id, body),
    }),
    one.delete({
      summary: 'Delete a subnet that nothing uses',
      response: TaskIds,
      handler: (ctx, { params: { subnet_id: id } }) => service.delete(ctx, id),
    }),
  ];
}
