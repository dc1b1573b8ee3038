import type { Feature } from '../../platform/feature.ts';
import type { CapabilitiesOf } from '../regions/index.ts';
import { statusRoutes } from './routes.ts';

export function managedPostgresql(deps: { capabilitiesOf: CapabilitiesOf }): Feature {
  return { name: 'managed-postgresql', needs: 'dbaas', routes: statusRoutes(deps.capabilitiesOf) };
}
