import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import { InstanceSecurityGroupList, PortGroups } from './schema.ts';
import * as service from './service.ts';

const tag = 'Instances';
const one = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';
const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });

export const instanceGroupRoutes: readonly Route[] = [
  regionRoute({
    method: 'GET',
    path: `${one}/securitygroups`,
    tag,
    summary: 'List the security groups of an instance',
    access: 'read',
    params,
    response: InstanceSecurityGroupList,
    handler: (ctx, { params: { instance_id: id } }) => service.listGroups(ctx, id),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/addsecuritygroup`,
    tag,
    summary: 'Add security groups to the ports of an instance',
    access: 'write',
    params,
    body: PortGroups,
    status: 204,
    handler: (ctx, { params: { instance_id: id }, body }) => service.addGroups(ctx, id, body),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/delsecuritygroup`,
    tag,
    summary: 'Remove security groups from the ports of an instance',
    access: 'write',
    params,
    body: PortGroups,
    status: 204,
    handler: (ctx, { params: { instance_id: id }, body }) => service.removeGroups(ctx, id, body),
  }),
];
