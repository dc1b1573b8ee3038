import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams } from '../../platform/http/schemas.ts';
import type { CapabilitiesOf } from '../regions/index.ts';
import { ServiceStatus } from './schema.ts';
import { getStatus, putStatus } from './service.ts';

const tag = 'Managed PostgreSQL';
const path = '/cloud/v1/dbaas/status/{project_id}/{region_id}';

export function statusRoutes(capabilitiesOf: CapabilitiesOf): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path,
      tag,
      operationId: 'getPostgresStatus',
      summary: 'See whether managed PostgreSQL is activated for the project',
      access: 'read',
      params: RegionParams,
      response: ServiceStatus,
      handler: (ctx) => getStatus(ctx),
    }),
    regionRoute({
      method: 'PUT',
      path,
      tag,
      operationId: 'setPostgresStatus',
      summary: 'Activate or deactivate managed PostgreSQL for the project',
      access: 'write',
      params: RegionParams,
      body: ServiceStatus,
      response: ServiceStatus,
      handler: (ctx, { body }) => putStatus(ctx, body, capabilitiesOf),
    }),
  ];
}
