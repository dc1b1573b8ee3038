import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { checkListener, checkUserList, ownerFaults } from './rules.ts';
import * as schema from './schema.ts';
import type { ListenerService } from './service.ts';

const all = regionPath('Load balancer listeners', '/cloud/v1/lblisteners/{project_id}/{region_id}');
export const one = all.at('{listener_id}', schema.ListenerParams.properties);

export const listenerRoutes = (service: ListenerService): readonly Route[] => [
  all.post({
    summary: 'Create a listener',
    description: limitsInWords('listener'),
    body: schema.CreateListener,
    bodyFaults: ownerFaults,
    rules: ({ protocol, ...body }, faults) => protocol && checkListener({ ...body, protocol }, '', faults),
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List listeners',
    query: schema.ListenerListQuery,
    response: schema.ListenerList,
    handler: (ctx, { query }) => reads.listListeners(ctx, query),
  }),
  one.get({
    summary: 'Get a listener',
    query: schema.ShowQuery,
    response: schema.Listener,
    handler: (ctx, { params: { listener_id: id }, query }) => reads.getListener(ctx, id, query.show_stats),
  }),
  one.version(2).patch({
    summary: 'Change a listener',
    body: schema.UpdateListener,
    rules: ({ user_list: users }, faults) => checkUserList(users ?? [], '', faults),
    response: TaskIds,
    handler: (ctx, { params: { listener_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete a listener',
    query: schema.DeleteQuery,
    response: TaskIds,
    handler: (ctx, { params: { listener_id: id }, query }) =>
      service.delete(ctx, id, query.delete_default_pool),
  }),
];
