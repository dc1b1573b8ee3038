import type { Feature } from '../../platform/feature.ts';
import { routerRoutes } from './routes.ts';
import { type RouterDeps, RouterService } from './service.ts';
import { createRouterTask, deleteRouterTask, updateRouterTask } from './tasks.ts';

export { routersOfNetworks } from './of-networks.ts';
export type { RouterDeps } from './service.ts';

export function routers(deps: RouterDeps): Feature {
  return {
    name: 'routers',
    needs: 'networks',
    routes: routerRoutes(new RouterService(deps)),
    tasks: [createRouterTask(deps), updateRouterTask(deps), deleteRouterTask(deps)],
  };
}
