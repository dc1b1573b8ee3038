import type { Static } from '@sinclair/typebox';
import { roomOf } from '../../kernel/address-pools.ts';
import { zuluTime } from '../../kernel/codecs.ts';
import { UnknownRegion } from '../../kernel/errors.ts';
import { parseRange } from '../../kernel/ip.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { readAddressesInUse } from '../networking/networks/index.ts';
import { type RegionAddressPool, readRegionsByIds } from '../regions/index.ts';
import type { AddressRange, Capacity, STATUSES } from './schema.ts';
import { type CapacityRow, readCapacity } from './store.ts';

/** @throws NotFound */
export async function getCapacity(ctx: RequestContext, regionId: number) {
  const { db } = ctx;
  const region = await requireRegion(ctx, regionId);
  const rows = await readCapacity(db, regionId);
  return {
    region_id: regionId,
    region_name: region.display_name,
    count: rows.length,
    results: rows.map(viewCapacity),
  };
}

/** @throws NotFound */
export async function listAddressRanges(ctx: RequestContext, regionId: number) {
  const region = await requireRegion(ctx, regionId);
  const { addresses = [] } = region.settings;
  const inUse = await readAddressesInUse(ctx.db, regionId);
  return {
    region_id: regionId,
    region_name: region.display_name,
    count: addresses.length,
    results: addresses.map((pool) => viewRange(pool, inUse)),
  };
}

async function requireRegion({ db }: RequestContext, regionId: number) {
  const [region] = await readRegionsByIds(db, [regionId]);
  if (!region) throw new UnknownRegion(regionId);
  return region;
}

/** How many addresses of its ranges a region has given, of what else there is none. */
export function givenOf(
  resource: CapacityRow['resource'],
  pools: readonly RegionAddressPool[],
  inUse: ReadonlySet<string>,
): number {
  if (resource === 'addresses_ipv4') return roomOf(pools, 4, inUse).used;
  return resource === 'addresses_ipv6' ? roomOf(pools, 6, inUse).used : 0;
}

/** Larger amounts, which ranges of IPv6 have, would not be exact. */
const amount = (value: number) => Math.min(value, Number.MAX_SAFE_INTEGER);

function viewRange(pool: RegionAddressPool, inUse: ReadonlySet<string>): Static<typeof AddressRange> {
  const { range, interface: device, exclude = [] } = pool;
  const { version, first, last } = parseRange(range) ?? { version: 4, first: 0n, last: -1n };
  const { used, total } = roomOf([pool], version, inUse);
  return {
    range,
    interface: device,
    exclude: [...exclude],
    used,
    free: amount(total - used),
    excluded: amount(Number(last - first + 1n) - total),
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
