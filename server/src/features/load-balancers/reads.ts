import type { Static } from '@sinclair/typebox';
import { NotFound } from '../../kernel/errors.ts';
import { type Paging, pageOf, viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import { readQuotas } from '../quotas/index.ts';
import { FLAVORS, viewFlavor, viewPricedFlavor } from './flavors.ts';
import { type Filters, listLoadBalancers, readListed, type Shown } from './list-store.ts';
import {
  type CheckLimits,
  type FlavorListQuery,
  LIMITED,
  type LoadBalancerListQuery,
  type ShowQuery,
} from './schema.ts';
import { readTree, readTreePage } from './tree-store.ts';
import { viewLoadBalancer, viewStatus } from './views.ts';

/** @throws Invalid naming every faulty tag of the filters */
export async function listPage(ctx: RegionContext, query: LoadBalancerListQuery) {
  refuseUnstorable(query, 'query');
  const page = await listLoadBalancers(ctx.db, {
    ...ctx.scope,
    filters: filtersOf(query),
    order: query.order_by,
    limit: query.limit,
    offset: query.offset,
    shown: shownOf(query),
  });
  return viewPage(page, (row) => viewLoadBalancer(row, ctx.region.name));
}

const shownOf = ({ show_stats: stats, with_ddos: ddos }: ShowQuery): Shown => ({
  stats,
  ddos,
});

function filtersOf(query: LoadBalancerListQuery): Filters {
  return {
    name: query.name,
    namePart: query.name__contains,
    operatingStatus: query.operating_status,
    provisioningStatus: query.provisioning_status,
    loggingEnabled: query.logging_enabled,
    assignedFloating: query.assigned_floating,
    ...parseTagFilters(query),
  };
}

/** @throws NotFound */
export async function getLoadBalancer(
  ctx: RegionContext,
  id: string,
  query: ShowQuery = { show_stats: false, with_ddos: false },
) {
  const where = { id, ...ctx.scope };
  const row = await readListed(ctx.db, where, shownOf(query));
  if (!row) throw new NotFound(`Load balancer ${id} was not found`);
  return viewLoadBalancer(row, ctx.region.name);
}

/** @throws NotFound */
export async function getStatus(ctx: RegionContext, id: string) {
  const tree = await readTree(ctx.db, id);
  if (tree?.project_id !== ctx.project.id || tree.region_id !== ctx.region.id) {
    throw new NotFound(`Load balancer ${id} was not found`);
  }
  return viewStatus(tree);
}

export async function listStatuses(ctx: RegionContext, query: Paging) {
  return viewPage(await readTreePage(ctx.db, { ...ctx.scope, ...query }), viewStatus);
}

export function listFlavors(query: Static<typeof FlavorListQuery>, prices: Prices) {
  return pageOf(FLAVORS, query, query.include_prices ? viewPricedFlavor(prices) : viewFlavor);
}

/** What a load balancer of this kind would use at most of the client's quotas, and what is left of them. */
export async function checkLimits(ctx: RegionContext, input: CheckLimits): Promise<Record<string, number>> {
  const scope = ctx.quota;
  const quotas = await readQuotas(ctx.db, scope, [...LIMITED]);
  const requested: Record<(typeof LIMITED)[number], number> = {
    external_ip_count: 0,
    floating_count: input.floating_ip?.source === 'new' ? 1 : 0,
    laas_topic_count: input.logging?.enabled ? 1 : 0,
    loadbalancer_count: 1,
  };
  const entries = LIMITED.flatMap((name) => [
    [`${name}_limit`, quotas[name].limit],
    [`${name}_requested`, requested[name]],
    [`${name}_usage`, quotas[name].usage],
  ]);
  return Object.fromEntries(entries);
}
