import { Forbidden, Invalid } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { parseTagFilters } from '../../../platform/http/tag-filters.ts';
import { checkedTags, patchTags, sameTags } from '../../../platform/http/tags.ts';
import { requireProvider } from '../../../platform/tasks/providers.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../../platform/tasks/start.ts';
import { guardProject } from '../../projects/index.ts';
import { reserve } from '../../quotas/index.ts';
import { readNetworkDetails } from './details.ts';
import { listNetworkPorts, listNetworks } from './list-store.ts';
import type { NetworkRow, NetworkType } from './model.ts';
import type { NetworkProvider } from './port.ts';
import type { NetworkRouters } from './routers.ts';
import type { AvailableNetworkQuery, CreateNetwork, NetworkListQuery, UpdateNetwork } from './schema.ts';
import * as store from './store.ts';
import { refuseUsed } from './users.ts';
import { viewNetwork } from './views.ts';

export interface NetworkDeps {
  providerOf(regionId: number): NetworkProvider | undefined;
  readonly routers: NetworkRouters;
}

/** Bytes; the encapsulation of VXLAN uses 50 of Ethernet's 1500. */
const MTU = { vlan: 1500, vxlan: 1450 } as const;

/** Commands on networks, one transaction each, and reads. */
export class NetworkService {
  readonly #deps: NetworkDeps;

  constructor(deps: NetworkDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid, Forbidden when the region has no networks or no segmentation id left, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateNetwork): Promise<TaskRef> {
    const tags = checkedTags(input);
    const provider = requireNetworks(this.#deps, ctx);
    const scope = ctx.scope;
    const { clientId } = ctx.project;
    const type = input.type;
    refuseType(provider, type);
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, scope.projectId);
      const [id, taskId, timestamp] = [ctx.ids.uuid(), ctx.ids.uuid(), ctx.clock.timestamp()];
      const { name } = input;
      const network = { ...scope, id, clientId, name, type, mtu: MTU[type], tags, taskId, timestamp };
      if (!(await store.insertNetwork(tx, network))) {
        throw new Forbidden(`Region ${ctx.region.name} has no network of type ${type} left to give`);
      }
      const withRouter = input.create_router;
      if (withRouter) await this.#deps.routers.addTo(tx, ctx, { id, name }, taskId);
      const task = await startFor(tx, ctx, 'create_network', { id, name }, { id: taskId });
      const amounts = { network_count: 1, router_count: withRouter ? 1 : 0 };
      await reserve(tx, ctx.quota, amounts);
      return task;
    });
  }

  /** Changes name and tags by a task; that of one that changes nothing has ended already.
   *  @throws Invalid, NotFound, Conflict naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateNetwork): Promise<TaskRef> {
    return this.#hold(ctx, id, 'update_network', (row) => {
      const tags = patchTags(row.tags, input.tags);
      const name = input.name ?? row.name;
      return name === row.name && sameTags(row.tags, tags) ? undefined : { name, tags };
    });
  }

  /** Deletes it with its subnets and its own router.
   *  @throws NotFound, Conflict naming who uses it or the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    return this.#hold(ctx, id, 'delete_network', async (row, tx, taskId) => {
      await refuseUsed(tx, `Network ${id}`, row.subnet_ids);
      await this.#deps.routers.hold(tx, id, taskId);
      return {};
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewNetwork(await store.readNetwork(ctx.db, id, ctx.scope), ctx.region.name);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: NetworkListQuery) {
    refuseUnstorable(query, 'query');
    const page = await listNetworks(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      // Who asks for external networks means the region's: no project has any.
      shared: query.owned_by === 'any' || query.external === true,
      external: query.external,
      name: query.name,
      namePart: query.name__contains,
      type: query.network_type,
      order: query.order_by,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, (row) => viewNetwork(row, ctx.region.name));
  }

  /** What an interface or load balancer can be on: the project's networks and the region's, with their subnets.
   *  @throws Invalid naming every faulty filter */
  async available(ctx: RegionContext, query: AvailableNetworkQuery) {
    refuseUnstorable(query, 'query');
    const { count, rows } = await listNetworks(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      shared: true,
      external: query.external,
      owned: query.shared === undefined ? undefined : !query.shared,
      id: query.network_id,
      name: query.name,
      type: query.network_type,
      order: query.order_by,
      limit: query.limit,
      offset: query.offset,
    });
    const ids = rows.map(({ id }) => id);
    const details = await readNetworkDetails(ctx, ids);
    return { count, results: ids.flatMap((id) => details.get(id) ?? []) };
  }

  /** What has an address in one of the network's subnets; a region's own network shows nothing of others.
   *  @throws NotFound */
  async ports(ctx: RegionContext, id: string) {
    const network = await store.readNetwork(ctx.db, id, ctx.scope);
    const results = network.external ? [] : await listNetworkPorts(ctx.db, id);
    return { count: results.length, results };
  }

  async #hold(
    ctx: RegionContext,
    id: string,
    type: string,
    inputOf: (row: NetworkRow, tx: Tx, taskId: string) => object | undefined | Promise<object | undefined>,
  ): Promise<TaskRef> {
    requireNetworks(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeNetwork(tx, id, ctx.scope);
      const taskId = ctx.ids.uuid();
      const input = await inputOf(row, tx, taskId);
      if (input === undefined) return startNothing(tx, ctx, taskFor(ctx, type, row, { id: taskId }));
      await store.holdNetwork(tx, id, taskId);
      return startFor(tx, ctx, type, row, { id: taskId, input: { ...input } });
    });
  }
}

/** @throws Invalid for a type that the region has not */
function refuseType({ types }: NetworkProvider, type: NetworkType): void {
  if (!types || types.includes(type)) return;
  throw new Invalid({ type: [`must be ${types.join(' or ')} in this region`] });
}

/** @throws Forbidden when the region has no networks */
export function requireNetworks(deps: NetworkDeps, ctx: RegionContext): NetworkProvider {
  return requireProvider(deps, ctx.region, 'networks');
}
