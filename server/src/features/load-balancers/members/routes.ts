import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import * as schema from './schema.ts';
import type { MemberService } from './service.ts';

const tag = 'Load balancer pool members';
const all = regionPath(
  tag,
  '/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members',
  schema.OfPoolParams.properties,
);
const one = all.at('{member_id}', schema.MemberParams.properties);
/** Where older clients expect them. */
const older = regionPath(
  tag,
  '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}/member',
  schema.OfPoolParams.properties,
);

export const memberRoutes = (service: MemberService): readonly Route[] => [
  ...writes(service),
  ...reading,
  ...olderWrites(service),
];

const writes = (service: MemberService): readonly Route[] => [
  all.post({
    summary: 'Add a member to a pool',
    description: limitsInWords('member'),
    body: schema.MemberInput,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.create(ctx, pool, body),
  }),
  all.put({
    summary: 'Give a pool exactly these members',
    body: schema.ReplaceMembers,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.replace(ctx, pool, body),
  }),
  one.patch({
    summary: 'Change a member',
    body: schema.UpdateMember,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool, member_id: id }, body }) => service.update(ctx, pool, id, body),
  }),
  one.delete({
    summary: 'Remove a member from its pool',
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool, member_id: id } }) => service.delete(ctx, pool, id),
  }),
];

const reading: readonly Route[] = [
  all.get({
    summary: 'List the members of a pool',
    query: schema.MemberListQuery,
    response: schema.MemberList,
    handler: (ctx, { params: { pool_id: pool }, query }) => reads.listMembers(ctx, pool, query),
  }),
  one.get({
    summary: 'Get a member',
    response: schema.Member,
    handler: (ctx, { params: { pool_id: pool, member_id: id } }) => reads.getMember(ctx, pool, id),
  }),
];

const olderWrites = (service: MemberService): readonly Route[] => [
  older.post({
    summary: 'Add a member to a pool, as older clients do',
    deprecated: true,
    body: schema.MemberInput,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.create(ctx, pool, body),
  }),
  older.at('{member_id}', schema.MemberParams.properties).delete({
    summary: 'Remove a member from its pool, as older clients do',
    deprecated: true,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool, member_id: id } }) => service.delete(ctx, pool, id),
  }),
];
