import { Invalid, NotFound } from '../../kernel/errors.ts';
import { refuseUnstorable } from '../../platform/http/body.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { parseTags, validTagKey } from '../../platform/http/tags.ts';
import { readQuotas } from '../quotas/index.ts';
import { Faults } from './faults.ts';
import { FLAVORS, viewFlavor, viewPricedFlavor } from './flavors.ts';
import { type Filters, listLoadBalancers, readListed } from './list-store.ts';
import { LIMITED, type LoadBalancerListQuery } from './schema.ts';
import type { CheckLimits } from './schema-input.ts';
import { readTree, readTreePage } from './tree-store.ts';
import { viewLoadBalancer, viewStatus } from './views.ts';

const DEFAULT_LIMIT = 1000;

/** @throws Invalid naming every faulty tag of the filters */
export async function listPage(ctx: RegionContext, query: LoadBalancerListQuery) {
  refuseUnstorable(query, 'query');
  const { count, rows } = await listLoadBalancers(ctx.db, {
    projectId: ctx.project.id,
    regionId: ctx.region.id,
    filters: filtersOf(query),
    order: query.order_by ?? 'created_at.desc',
    limit: query.limit ?? DEFAULT_LIMIT,
    offset: query.offset ?? 0,
    showStats: query.show_stats ?? false,
  });
  return { count, results: rows.map((row) => viewLoadBalancer(row, ctx.region.name)) };
}

function filtersOf(query: LoadBalancerListQuery): Filters {
  const faults = new Faults();
  const tagKeys = query.tag_key?.map((key, index) => {
    const stripped = key.trim();
    if (!validTagKey(stripped)) {
      faults.add(`tag_key.${index}`, 'must be 1 to 255 characters without white space and "="');
    }
    return stripped;
  });
  const tags =
    query.tag_key_value === undefined ? undefined : faults.try(() => tagPairs(query.tag_key_value ?? ''));
  faults.refuse('query');
  return {
    name: query.name,
    operatingStatus: query.operating_status,
    provisioningStatus: query.provisioning_status,
    loggingEnabled: query.logging_enabled,
    assignedFloating: query.assigned_floating,
    tagKeys,
    tags,
  };
}

const PAIRS_RULE = 'must be a JSON object that maps tag keys to values';

function tagPairs(text: string): Record<string, string> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Invalid({ tag_key_value: [PAIRS_RULE] }, 'query');
  }
  refuseUnstorable({ tag_key_value: value }, 'query');
  const wrong = Object.entries(value).filter(([, pair]) => typeof pair !== 'string');
  if (wrong.length > 0) {
    throw new Invalid(
      Object.fromEntries(wrong.map(([key]) => [`tag_key_value.${key}`, ['must be string']])),
      'query',
    );
  }
  return parseTags(value as Record<string, string>, 'tag_key_value', 'query');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws NotFound */
export async function getLoadBalancer(ctx: RegionContext, id: string, showStats: boolean) {
  const where = { id, projectId: ctx.project.id, regionId: ctx.region.id };
  const row = await readListed(ctx.db, where, showStats);
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

export async function listStatuses(ctx: RegionContext, query: { limit?: number; offset?: number }) {
  const { count, trees } = await readTreePage(ctx.db, {
    projectId: ctx.project.id,
    regionId: ctx.region.id,
    limit: query.limit ?? DEFAULT_LIMIT,
    offset: query.offset ?? 0,
  });
  return { count, results: trees.map(viewStatus) };
}

export function listFlavors(query: { limit?: number; offset?: number; include_prices?: boolean }) {
  const { limit = DEFAULT_LIMIT, offset = 0 } = query;
  const view = query.include_prices ? viewPricedFlavor : viewFlavor;
  return { count: FLAVORS.length, results: FLAVORS.slice(offset, offset + limit).map(view) };
}

/** What a load balancer of this kind would take at most of the client's quotas, and what is left of them. */
export async function checkLimits(ctx: RegionContext, input: CheckLimits): Promise<Record<string, number>> {
  const scope = { clientId: ctx.project.clientId, regionId: ctx.region.id };
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
