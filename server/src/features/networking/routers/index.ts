import type { Feature } from '../../../platform/feature.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { deprecatedRouterRoutes } from './deprecated-routes.ts';
import { routerExamples } from './examples.ts';
import { routerRoutes } from './routes.ts';
import { type RouterDeps, RouterService } from './service.ts';
import { createRouterTask, deleteRouterTask, updateRouterTask } from './tasks.ts';

export { desiredRouter } from './apply.ts';
export { routersOfNetworks } from './of-networks.ts';
export type { RouterDeps } from './service.ts';
export { readRouters, readRoutersInRegion, storeRouterGateway } from './store.ts';

export function routers(deps: RouterDeps & { readonly tasks: TaskReads }): Feature {
  const service = new RouterService(deps);
  return {
    name: 'routers',
    nouns: { routers: 'Router' },
    examples: routerExamples,
    needs: 'networks',
    searched: [{ kind: 'router', table: 'routers' }],
    routes: [...routerRoutes(service, deps), ...deprecatedRouterRoutes(service, deps.tasks)],
    tasks: [createRouterTask(deps), updateRouterTask(deps), deleteRouterTask(deps)],
  };
}
