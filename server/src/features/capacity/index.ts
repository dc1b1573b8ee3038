import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import { readAddressesInUse } from '../networking/networks/index.ts';
import { readRegionsByIds } from '../regions/index.ts';
import { capacityForPrometheus } from './metrics.ts';
import type { CapacityProvider } from './port.ts';
import { capacityRoutes } from './routes.ts';
import { givenOf } from './service.ts';
import { saveCapacity } from './store.ts';

export { requireAddresses, requireRoom } from './room.ts';

export interface CapacityDeps extends OwnRegions<CapacityProvider> {
  readonly db: Db;
  readonly clock: Clock;
}

const OBSERVE_EVERY_MS = 10_000;

/** How much room the machines of regions have. */
export function capacity(deps: CapacityDeps): Feature {
  const observe = () =>
    inOwnRegions(deps, 'Capacities', async (regionId, provider) => {
      const [region] = await readRegionsByIds(deps.db, [regionId]);
      const inUse = await readAddressesInUse(deps.db, regionId);
      const observed = (await provider.observeCapacity(inUse)).map((each) => {
        const { addresses = [] } = region?.settings ?? {};
        return { ...each, beside: Math.max(0, each.used - givenOf(each.resource, addresses, inUse)) };
      });
      await saveCapacity(deps.db, regionId, observed, deps.clock.timestamp());
    });
  return {
    name: 'capacity',
    nouns: { capacity: 'Capacity' },
    needs: 'capacity',
    routes: capacityRoutes,
    operatorMetrics: () => capacityForPrometheus(deps.db),
    background: [
      {
        name: 'capacity',
        everyMs: OBSERVE_EVERY_MS,
        exclusive: false,
        afterTakeOver: true,
        run: observe,
      },
    ],
  };
}
