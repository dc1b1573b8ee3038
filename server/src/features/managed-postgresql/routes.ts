import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import type { CapabilitiesOf } from '../regions/index.ts';
import { ServiceStatus } from './schema.ts';
import { getStatus, putStatus } from './service.ts';

const path = regionPath('Managed PostgreSQL', '/cloud/v1/dbaas/status/{project_id}/{region_id}');

export function statusRoutes(capabilitiesOf: CapabilitiesOf): readonly Route[] {
  return [
    path.get({
      operationId: 'getPostgresStatus',
      summary: 'See whether managed PostgreSQL is activated for the project',
      response: ServiceStatus,
      handler: (ctx) => getStatus(ctx),
    }),
    path.put({
      operationId: 'setPostgresStatus',
      summary: 'Activate or deactivate managed PostgreSQL for the project',
      body: ServiceStatus,
      response: ServiceStatus,
      handler: (ctx, { body }) => putStatus(ctx, body, capabilitiesOf),
    }),
  ];
}
