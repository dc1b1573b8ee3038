import type { Route } from '../../platform/http/route.ts';
import { TaskIds } from '../../platform/http/schemas.ts';
import type { InstanceActions } from './actions.ts';
import { one } from './routes.ts';
import { ChangeFlavor, Console, ConsoleQuery, InstanceAction } from './schema-actions.ts';

const oneV2 = one.version(2);

export function instanceActionRoutes(actions: InstanceActions): readonly Route[] {
  return [
    oneV2.at('action').post({
      summary: 'Start, stop, suspend, resume or restart an instance',
      body: InstanceAction,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => actions.act(ctx, id, body),
    }),
    one.at('get_console').get({
      operationId: 'getInstanceConsole',
      summary: 'Get the address of the console of an instance',
      access: 'write',
      sensitive: true,
      query: ConsoleQuery,
      response: Console,
      handler: (ctx, { params: { instance_id: id }, query }) => actions.console(ctx, id, query.console_type),
    }),
    one.at('changeflavor').post({
      summary: 'Change the size of an instance',
      body: ChangeFlavor,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => actions.changeFlavor(ctx, id, body.flavor_id),
    }),
  ];
}
