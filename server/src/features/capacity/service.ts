import type { Static } from '@sinclair/typebox';
import { zuluTime } from '../../kernel/codecs.ts';
import { UnknownRegion } from '../../kernel/errors.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { readRegionsByIds } from '../regions/index.ts';
import type { Capacity, STATUSES } from './schema.ts';
import { type CapacityRow, readCapacity } from './store.ts';

/** @throws NotFound */
export async function getCapacity({ db }: RequestContext, regionId: number) {
  const [region] = await readRegionsByIds(db, [regionId]);
  if (!region) throw new UnknownRegion(regionId);
  const rows = await readCapacity(db, regionId);
  return {
    region_id: regionId,
    region_name: region.display_name,
    count: rows.length,
    results: rows.map(viewCapacity),
  };
}

export const unitOf = (resource: CapacityRow['resource']) =>
  resource === 'disk' || resource === 'memory' ? 'MiB' : 'pieces';

export function statusOf({ used, total, warn_free, stop_free }: CapacityRow): (typeof STATUSES)[number] {
  if (total - used <= stop_free) return 'full';
  return total - used <= warn_free ? 'low' : 'ok';
}

function viewCapacity(row: CapacityRow): Static<typeof Capacity> {
  const { resource, used, total, warn_free, stop_free, observed_at } = row;
  return {
    resource,
    unit: unitOf(resource),
    used,
    total,
    free: total - used,
    warn_free,
    stop_free,
    status: statusOf(row),
    observed_at: zuluTime(observed_at),
  };
}
