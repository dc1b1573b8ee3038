import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../platform/http/context.ts';
import {
  type MetadataPatch,
  metadataItemRoutes,
  metadataListRoutes,
  metadataTaskRoutes,
} from '../../platform/http/metadata-routes.ts';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Name, TaskIds } from '../../platform/http/schemas.ts';
import type { TaskReads } from '../tasks/index.ts';
import { getListener } from './listeners/reads.ts';
import { one as listener } from './listeners/routes.ts';
import { Listener } from './listeners/schema.ts';
import type { ListenerService } from './listeners/service.ts';
import { OfPoolParams } from './members/schema.ts';
import { checkPoolChanges } from './pools/rules.ts';
import { UpdatePool } from './pools/schema.ts';
import type { PoolService } from './pools/service.ts';
import { getLoadBalancer } from './reads.ts';
import { one } from './routes.ts';
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
  ...deprecatedPartRoutes(services),
  ...deprecatedMetadataRoutes(services),
];

const deprecatedPartRoutes = ({ listeners, pools, tasks }: Services): readonly Route[] => [
  listener.patch({
    summary: 'Change the name of a listener and get it back',
    deprecated: true,
    sensitive: true,
    body: RenameListener,
    response: Listener,
    handler: async (ctx, { params: { listener_id: id }, body }) => {
      await tasks.settled(ctx, await listeners.update(ctx, id, body), `Listener ${id} could not be changed`);
      return getListener(ctx, id, false);
    },
  }),
  regionPath(
    'Load balancer pools',
    '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}',
    OfPoolParams.properties,
  ).patch({
    summary: 'Change a pool, its members and its health monitor (older address)',
    deprecated: true,
    body: UpdatePool,
    rules: checkPoolChanges,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: id }, body }) => pools.update(ctx, id, body),
  }),
];

function deprecatedMetadataRoutes({ balancers }: Services): readonly Route[] {
  const noun = {
    noun: 'a load balancer',
    at: one,
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
      at: one.version(2),
      patch: (ctx, id, tags) => balancers.update(ctx, id, { tags }),
    }),
  ];
}
