import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { Uuid } from '../../../platform/http/schemas.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { checkGivenRoutes } from './model.ts';
import { OlderUpdateRouter, Router, type UpdateRouter } from './schema.ts';
import type { RouterService } from './service.ts';

/** What older clients call: a change that answers when it is done. */

const given = ({ name, routes, external_gateway_info }: OlderUpdateRouter): UpdateRouter => ({
  ...(name == null ? {} : { name }),
  ...(routes == null ? {} : { routes }),
  ...(external_gateway_info == null ? {} : { external_gateway_info }),
});

export const deprecatedRouterRoutes = (service: RouterService, tasks: TaskReads): readonly Route[] => [
  regionPath('Networks', '/cloud/v1/routers/{project_id}/{region_id}/{router_id}', {
    router_id: Uuid(),
  }).patch({
    summary: 'Change a router and get it back; what is null or absent stays',
    deprecated: true,
    body: OlderUpdateRouter,
    rules: checkGivenRoutes,
    response: Router,
    handler: async (ctx, { params: { router_id: id }, body }) => {
      const task = await service.update(ctx, id, given(body));
      await tasks.settled(ctx, task, `Router ${id} could not be changed`);
      return service.get(ctx, id);
    },
  }),
];
