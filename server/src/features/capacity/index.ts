import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { inOwnRegions, type OwnRegions } from '../../platform/owners/own-regions.ts';
import { readAddressesInUse } from '../networking/networks/index.ts';
import { capacityForPrometheus } from './metrics.ts';
import type { CapacityProvider } from './port.ts';
import { capacityRoutes } from './routes.ts';
import { saveCapacity } from './store.ts';

export { requireRoom } from './room.ts';

export interface CapacityDeps extends OwnRegions<CapacityProvider> {
  readonly db: Db;
  readonly clock: Clock;
}

const OBSERVE_EVERY_MS = 10_000;

/** How much room the machines of regions have. */
export function capacity(deps: CapacityDeps): Feature {
  const observe = () =>
    inOwnRegions(deps, 'Capacities', async (regionId, provider) => {
      const inUse = await readAddressesInUse(deps.db, regionId);
      await saveCapacity(deps.db, regionId, await provider.observeCapacity(inUse), deps.clock.timestamp());
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
