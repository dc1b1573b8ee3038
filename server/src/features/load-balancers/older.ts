import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../platform/http/context.ts';
import {
  type MetadataPatch,
  metadataItemRoutes,
  metadataListRoutes,
  metadataTaskRoutes,
} from '../../platform/http/metadata-routes.ts';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { Name, TaskIds } from '../../platform/http/schemas.ts';
import type { TaskReads } from '../tasks/index.ts';
import { getListener } from './listeners/reads.ts';
import { Listener, ListenerParams } from './listeners/schema.ts';
import type { ListenerService } from './listeners/service.ts';
import { OfPoolParams } from './members/schema.ts';
import { checkPoolChanges } from './pools/rules.ts';
import { UpdatePool } from './pools/schema.ts';
import type { PoolService } from './pools/service.ts';
import { getLoadBalancer } from './reads.ts';
import type { LoadBalancerService } from './service.ts';

/** What older clients call. `PATCH` of a load balancer under v1 is in routes.ts: it has a rule of its own. */

const RenameListener = Type.Object({ name: Name() }, { $id: 'RenameListener' });

interface Services {
  readonly balancers: LoadBalancerService;
  readonly listeners: ListenerService;
  readonly pools: PoolService;
  readonly tasks: TaskReads;
}

export const olderRoutes = (services: Services): readonly Route[] => [
  ...olderPartRoutes(services),
  ...olderMetadataRoutes(services),
];

const olderPartRoutes = ({ listeners, pools, tasks }: Services): readonly Route[] => [
  regionRoute({
    method: 'PATCH',
    path: '/cloud/v1/lblisteners/{project_id}/{region_id}/{listener_id}',
    tag: 'Load balancer listeners',
    summary: 'Change the name of a listener and get it back',
    deprecated: true,
    access: 'write',
    params: ListenerParams,
    body: RenameListener,
    response: Listener,
    handler: async (ctx, { params: { listener_id: id }, body }) => {
      await tasks.settled(ctx, await listeners.update(ctx, id, body), `Listener ${id} could not be changed`);
      return getListener(ctx, id, false);
    },
  }),
  regionRoute({
    method: 'PATCH',
    path: '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}',
    tag: 'Load balancer pools',
    summary: 'Change a pool, its members and its health monitor (older address)',
    deprecated: true,
    access: 'write',
    params: OfPoolParams,
    body: UpdatePool,
    rules: checkPoolChanges,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: id }, body }) => pools.update(ctx, id, body),
  }),
];

function olderMetadataRoutes({ balancers }: Services): readonly Route[] {
  const noun = {
    tag: 'Load balancers',
    noun: 'a load balancer',
    path: '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}',
    tags: async (ctx: RegionContext, id: string) => (await getLoadBalancer(ctx, id)).tags_v2,
  };
  const now = {
    ...noun,
    patch: (ctx: RegionContext, id: string, tags: MetadataPatch) => balancers.updateNow(ctx, id, { tags }),
  };
  return [
    ...metadataListRoutes(now),
    ...metadataItemRoutes(now),
    ...metadataTaskRoutes({
      ...noun,
      path: noun.path.replace('/v1/', '/v2/'),
      patch: (ctx, id, tags) => balancers.update(ctx, id, { tags }),
    }),
  ];
}
