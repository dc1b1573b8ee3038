import { Type } from '@sinclair/typebox';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { ListOf, Uuid } from '../../platform/http/schemas.ts';
import { readEngineObjects } from './store.ts';

/** What resources are in the clouds that regions run on, for those who run the cloud. */

const EngineObject = Type.Object(
  {
    region_id: Type.Integer(),
    region_name: Type.String({ description: 'What people call it.' }),
    kind: Type.String({ description: 'What it is there: `network`, `load_balancer`.' }),
    resource_id: Uuid({ description: 'Of the resource here.' }),
    engine_id: Type.String({ description: 'Its id in the cloud of the region.' }),
  },
  { $id: 'EngineObject' },
);

async function listEngineObjects({ db }: RequestContext, resourceId: string) {
  const results = await readEngineObjects(db, resourceId);
  return { count: results.length, results };
}

export const engineObjectRoutes: readonly Route[] = [
  plainPath('Operator', '/virga/v1/engine_objects').get({
    summary: 'Show where a resource lives in the cloud of its region',
    description:
      'The objects that the cloud of a region (OpenStack) has for a resource, with their ids there. None for resources of local and simulated regions.',
    access: 'operate',
    query: Type.Object({ resource_id: Uuid({ description: 'Of the resource here.' }) }),
    response: ListOf(EngineObject, 'EngineObjectList'),
    handler: (ctx, { query }) => listEngineObjects(ctx, query.resource_id),
  }),
];
