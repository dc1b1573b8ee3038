import type { Static } from '@sinclair/typebox';
import { UnknownRegion } from '../../kernel/errors.ts';
import { pageOf } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import type { Capabilities, RegionRow } from './model.ts';
import { viewRegion } from './model.ts';
import type { LogDestinationQuery, RegionListQuery } from './schema.ts';
import { readRegion, readRegions } from './store.ts';

export type CapabilitiesOf = (regionId: number) => Promise<Capabilities>;

/** The regions that match; there are few, so they are filtered and ordered here. */
export async function listRegions(
  ctx: RequestContext,
  query: Static<typeof RegionListQuery>,
  capabilitiesOf: CapabilitiesOf,
) {
  const rows = await readRegions(ctx.db);
  const all = await Promise.all(rows.map(async (row) => ({ row, can: await capabilitiesOf(row.id) })));
  const requested = all
    .filter(({ row }) => query.display_name === undefined || row.display_name === query.display_name)
    .filter(({ can }) => query.product === undefined || can[query.product])
    .sort((a, b) => compare(a.row, b.row, query.order_by));
  return pageOf(requested, query, ({ row, can }) => viewRegion(row, can));
}

type Order = Static<typeof RegionListQuery>['order_by'];

function compare(a: RegionRow, b: RegionRow, order: Order): number {
  const { field, direction } = parseOrder<'created_at' | 'display_name'>(order);
  const byField =
    field === 'created_at'
      ? a.created_at.getTime() - b.created_at.getTime()
      : Number(a.display_name > b.display_name) - Number(a.display_name < b.display_name);
  return (byField || a.id - b.id) * (direction === 'asc' ? 1 : -1);
}

/** @throws NotFound */
export async function getRegion(ctx: RequestContext, id: number, capabilitiesOf: CapabilitiesOf) {
  const row = await readRegion(ctx.db, id);
  if (!row) throw new UnknownRegion(id);
  return viewRegion(row, await capabilitiesOf(id));
}

/** The regions that may be the `destination_region_id` of logs.
 *  @throws NotFound when the region that has the logs does not exist */
export async function listLogDestinations(
  ctx: RequestContext,
  id: number,
  page: Static<typeof LogDestinationQuery>,
  capabilitiesOf: CapabilitiesOf,
) {
  await getRegion(ctx, id, capabilitiesOf);
  return listRegions(
    ctx,
    { ...page, order_by: 'display_name.asc', show_volume_types: false },
    capabilitiesOf,
  );
}
