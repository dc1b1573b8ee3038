import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import * as schema from './schema.ts';
import type { MemberService } from './service.ts';

const tag = 'Load balancer pool members';
const all = '/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members';
const one = `${all}/{member_id}`;
/** Where older clients expect them. */
const older = '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}/member';

export const memberRoutes = (service: MemberService): readonly Route[] => [
  ...writes(service),
  ...reading,
  ...olderWrites(service),
];

const writes = (service: MemberService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Add a member to a pool',
    description: limitsInWords('member'),
    access: 'write',
    params: schema.OfPoolParams,
    body: schema.MemberInput,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.create(ctx, pool, body),
  }),
  regionRoute({
    method: 'PUT',
    path: all,
    tag,
    summary: 'Give a pool exactly these members',
    access: 'write',
    params: schema.OfPoolParams,
    body: schema.ReplaceMembers,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.replace(ctx, pool, body),
  }),
  regionRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a member',
    access: 'write',
    params: schema.MemberParams,
    body: schema.UpdateMember,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool, member_id: id }, body }) => service.update(ctx, pool, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Remove a member from its pool',
    access: 'write',
    params: schema.MemberParams,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool, member_id: id } }) => service.delete(ctx, pool, id),
  }),
];

const reading: readonly Route[] = [
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List the members of a pool',
    access: 'read',
    params: schema.OfPoolParams,
    query: schema.MemberListQuery,
    response: schema.MemberList,
    handler: (ctx, { params: { pool_id: pool }, query }) => reads.listMembers(ctx, pool, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a member',
    access: 'read',
    params: schema.MemberParams,
    response: schema.Member,
    handler: (ctx, { params: { pool_id: pool, member_id: id } }) => reads.getMember(ctx, pool, id),
  }),
];

const olderWrites = (service: MemberService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: older,
    tag,
    summary: 'Add a member to a pool, as older clients do',
    deprecated: true,
    access: 'write',
    params: schema.OfPoolParams,
    body: schema.MemberInput,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.create(ctx, pool, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: `${older}/{member_id}`,
    tag,
    summary: 'Remove a member from its pool, as older clients do',
    deprecated: true,
    access: 'write',
    params: schema.MemberParams,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool, member_id: id } }) => service.delete(ctx, pool, id),
  }),
];
