import type { Route } from '../../../platform/http/route.ts';
import { one } from '../routes.ts';
import { InstanceSecurityGroupList, PortGroups } from './schema.ts';
import * as service from './service.ts';

export const instanceGroupRoutes: readonly Route[] = [
  one.at('securitygroups').get({
    summary: 'List the security groups of an instance',
    response: InstanceSecurityGroupList,
    handler: (ctx, { params: { instance_id: id } }) => service.listGroups(ctx, id),
  }),
  one.at('addsecuritygroup').post({
    summary: 'Add security groups to the ports of an instance',
    body: PortGroups,
    status: 204,
    handler: (ctx, { params: { instance_id: id }, body }) => service.addGroups(ctx, id, body),
  }),
  one.at('delsecuritygroup').post({
    summary: 'Remove security groups from the ports of an instance',
    body: PortGroups,
    status: 204,
    handler: (ctx, { params: { instance_id: id }, body }) => service.removeGroups(ctx, id, body),
  }),
];
