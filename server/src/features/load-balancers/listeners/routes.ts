import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { checkListener, checkUserList, ownerFaults } from './rules.ts';
import * as schema from './schema.ts';
import type { ListenerService } from './service.ts';

const tag = 'Load balancer listeners';
const all = '/cloud/v1/lblisteners/{project_id}/{region_id}';
const one = `${all}/{listener_id}`;
const params = schema.ListenerParams;

export const listenerRoutes = (service: ListenerService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a listener',
    description: limitsInWords('listener'),
    access: 'write',
    params: RegionParams,
    body: schema.CreateListener,
    bodyFaults: ownerFaults,
    rules: ({ protocol, ...body }, faults) => protocol && checkListener({ ...body, protocol }, '', faults),
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List listeners',
    access: 'read',
    params: RegionParams,
    query: schema.ListenerListQuery,
    response: schema.ListenerList,
    handler: (ctx, { query }) => reads.listListeners(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a listener',
    access: 'read',
    params,
    query: schema.ShowQuery,
    response: schema.Listener,
    handler: (ctx, { params: { listener_id: id }, query }) => reads.getListener(ctx, id, query.show_stats),
  }),
  regionRoute({
    method: 'PATCH',
    path: one.replace('/v1/', '/v2/'),
    tag,
    summary: 'Change a listener',
    access: 'write',
    params,
    body: schema.UpdateListener,
    rules: ({ user_list: users }, faults) => checkUserList(users ?? [], '', faults),
    response: TaskIds,
    handler: (ctx, { params: { listener_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a listener',
    access: 'write',
    params,
    query: schema.DeleteQuery,
    response: TaskIds,
    handler: (ctx, { params: { listener_id: id }, query }) =>
      service.delete(ctx, id, query.delete_default_pool),
  }),
];
