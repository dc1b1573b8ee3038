import { requireRoom } from './features/capacity/index.ts';
import { readClient } from './features/iam/index.ts';
import { readProjectOwners } from './features/projects/index.ts';
import { readRegions, readRegionsByIds } from './features/regions/index.ts';
import type { Db } from './platform/database/db.ts';
import { byKey, SharedLookUp } from './platform/database/shared-look-up.ts';
import type { ScopeResolver } from './platform/http/context.ts';
import type { RegionOwners } from './platform/owners/region-owners.ts';
import type { RegionProviders } from './regions/region-providers.ts';

/** Finds what the path of a request names: its client, project and region. Requests that ask for the same at the same
 *  time share one look into the database. */
export function scopesOf({
  db,
  providers,
  owners,
}: {
  readonly db: Db;
  readonly providers: Pick<RegionProviders, 'serves'>;
  readonly owners: Pick<RegionOwners, 'faultElsewhere'>;
}): ScopeResolver {
  const clients = new SharedLookUp(async (ids: readonly number[]) =>
    byKey(await readProjectOwners(db, ids), 'id'),
  );
  const found = new SharedLookUp(async (ids: readonly number[]) =>
    byKey(await readRegionsByIds(db, ids), 'id'),
  );
  return {
    project: async (id, clientId) => {
      const row = await clients.get(id);
      const visible = row && (clientId === 'any' || row.client_id === clientId);
      return visible ? { id: row.id, clientId: row.client_id } : undefined;
    },
    region: async (id) => {
      const row = await found.get(id);
      return row && { id: row.id, name: row.display_name, state: row.state };
    },
    regions: async () =>
      (await readRegions(db)).map(({ id, display_name: name, state }) => ({ id, name, state })),
    // What is missing in a region that another node works on, that node has said.
    offers: async (id, need) => {
      const elsewhere = await owners.faultElsewhere(id);
      return elsewhere === undefined ? providers.serves(id, need) : elsewhere === null;
    },
    requireRoom: async (region, needs) => {
      return (await providers.serves(region.id, 'capacity')) ? requireRoom(db, region, needs) : [];
    },
    client: async (id) => (await readClient(db, id)) !== undefined,
  };
}
