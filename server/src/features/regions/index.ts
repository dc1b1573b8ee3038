import type { Feature } from '../../platform/feature.ts';
import { regionRoutes } from './routes.ts';
import type { CapabilitiesOf } from './service.ts';

export {
  type Capabilities,
  NO_CAPABILITIES,
  type RegionAddressPool,
  type RegionRow,
  type RegionSettings,
} from './model.ts';
export type { PublicImage } from './port.ts';
export { checkRegion } from './rules.ts';
export { REGION_STATES } from './schema.ts';
export type { CapabilitiesOf } from './service.ts';
export { type NewRegion, readRegion, readRegions, readRegionsByIds, saveRegions } from './store.ts';

export function regions(deps: { capabilitiesOf: CapabilitiesOf }): Feature {
  return {
    name: 'regions',
    areas: { Regions: 'Where resources live, and what each place can do.' },
    nouns: { regions: 'Region' },
    searched: [
      {
        kind: 'region',
        table: 'regions',
        idType: 'integer',
        name: 's.display_name',
        owner: 'everybody',
        project: null,
        region: 's.id',
        status: 's.state',
      },
    ],
    routes: regionRoutes(deps.capabilitiesOf),
  };
}
