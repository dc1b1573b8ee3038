import { BadRequest, Conflict, Invalid } from '../../../../kernel/errors.ts';
import { Faults } from '../../../../kernel/faults.ts';
import { parseRange } from '../../../../kernel/ip.ts';
import { recordAudit } from '../../../../platform/audit/audit.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { requireFree } from '../../../../platform/database/held-table.ts';
import { viewPage } from '../../../../platform/database/list-page.ts';
import type { RegionContext } from '../../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../../platform/http/json.ts';
import { parseTagFilters } from '../../../../platform/http/tag-filters.ts';
import { checkedTags, patchTags } from '../../../../platform/http/tags.ts';
import { startFor, type TaskRef } from '../../../../platform/tasks/start.ts';
import { reserve } from '../../../quotas/index.ts';
import { applyAtOnce } from '../at-once.ts';
import { desiredSubnet } from '../desired.ts';
import type { SubnetRow } from '../model.ts';
import { type NetworkDeps, requireNetworks } from '../service.ts';
import { lockFreeNetwork } from '../store.ts';
import { refuseUsed } from '../users.ts';
import { viewSubnet } from '../views.ts';
import { listSubnets } from './list-store.ts';
import {
  canonical,
  checkGateway,
  checkHostRoutes,
  checkLeavesHost,
  checkNameServers,
  countOf,
  planSubnet,
} from './rules.ts';
import type { CreateSubnet, SubnetListQuery, UpdateSubnet } from './schema.ts';
import * as store from './store.ts';

/** Commands on subnets, one transaction each, and reads. */
export class SubnetService {
  readonly #deps: NetworkDeps;

  constructor(deps: NetworkDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid naming every faulty field, NotFound for the network or router, Conflict when another subnet
   *  of the network overlaps or a task holds the network, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateSubnet): Promise<TaskRef> {
    const faults = new Faults();
    // Who must not make networks is told that first.
    const { onLoopback = false } = this.#deps.providerOf(ctx.region.id) ?? { onLoopback: true };
    if (!onLoopback) checkLeavesHost(input.cidr, faults);
    const plan = planSubnet(input, faults);
    const tags = checkedTags(input, faults);
    if (!plan) throw new BadRequest('cidr: must be a network');
    requireNetworks(this.#deps, ctx);
    const scope = ctx.scope;
    const { clientId } = ctx.project;
    return ctx.db.transaction(async (tx) => {
      const network = await lockFreeNetwork(tx, input.network_id, scope);
      const { range, gateway, totalIps } = plan;
      const other = await store.overlapping(tx, network.id, range.text);
      if (other) throw new Conflict(`${range.text} overlaps subnet ${other.id} (${other.cidr})`);
      const [id, taskId, timestamp] = [ctx.ids.uuid(), ctx.ids.uuid(), ctx.clock.timestamp()];
      await store.insertSubnet(tx, {
        ...scope,
        id,
        clientId,
        networkId: network.id,
        name: input.name,
        cidr: range.text,
        gateway,
        enableDhcp: input.enable_dhcp,
        nameServers: input.dns_nameservers,
        hostRoutes: input.host_routes,
        totalIps,
        tags,
        taskId,
        timestamp,
      });
      if (input.router_id_to_connect || input.connect_to_network_router) {
        const its = { network, subnetId: id, cidr: range.text, version: range.version, gateway };
        await this.#deps.routers.connect(tx, ctx, its, input.router_id_to_connect ?? undefined);
      }
      const { name } = input;
      const data = { network_id: network.id };
      const task = await startFor(tx, ctx, 'create_subnet', { id, name }, { id: taskId, data });
      await reserve(tx, ctx.quota, { subnet_count: 1 });
      return task;
    });
  }

  /** Changes it at once.
   *  @throws Invalid, NotFound, Conflict when a task holds it or something has the new gateway's address */
  async update(ctx: RegionContext, id: string, input: UpdateSubnet) {
    requireNetworks(this.#deps, ctx);
    const scope = ctx.scope;
    const attached = await this.#deps.routers.attachedTo(ctx.db, id);
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockSubnet(tx, id, scope);
      const settings = settingsAfter(row, input);
      requireFree('Subnet', row);
      const fault = this.#deps.providerOf(ctx.region.id)?.ipv6DhcpFault;
      if (fault && row.cidr.includes(':') && settings.enableDhcp !== row.enable_dhcp)
        throw new Invalid({ enable_dhcp: [fault] });
      const { gateway } = settings;
      if (gateway !== null && gateway !== row.gateway_ip && (await store.isGiven(tx, id, gateway))) {
        throw new Conflict(
          `${gateway} cannot become the gateway: something in subnet ${id} has this address`,
        );
      }
      await this.#moveRouter(tx, row, gateway, ctx.clock.timestamp());
      await store.changeSubnet(tx, id, settings, ctx.clock.timestamp());
      await recordAudit(tx, ctx, { action: 'update_subnet', subject: id, name: settings.name, ...scope });
    });
    const subnet = desiredSubnet(await store.readSubnet(ctx.db, id, scope));
    // A router that has the old gateway's address is moved before the gateway.
    const routers = await this.#deps.routers.desired(ctx.db, attached);
    await applyAtOnce(ctx, this.#deps.providerOf(ctx.region.id), [...routers, subnet]);
    return this.get(ctx, id);
  }

  /** The network's own router follows the gateway; any other one keeps its address.
   *  @throws Conflict when such a one has the gateway's address */
  async #moveRouter(tx: Tx, row: SubnetRow, to: string | null, timestamp: string): Promise<void> {
    const from = row.gateway_ip;
    if (from === null || from === to) return;
    await this.#deps.routers.follow(tx, row.id, { from, to, timestamp });
    if (!(await store.isGiven(tx, row.id, from))) return;
    throw new Conflict(
      `The gateway of subnet ${row.id} cannot change: a router has the address ${from}; detach the subnet from it first`,
    );
  }

  /** @throws NotFound, Conflict naming who uses it or the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    requireNetworks(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeSubnet(tx, id, ctx.scope);
      await refuseUsed(tx, `Subnet ${id}`, [id]);
      await this.#deps.routers.refuseRouted(tx, id);
      const taskId = ctx.ids.uuid();
      await store.holdSubnet(tx, id, taskId);
      return startFor(tx, ctx, 'delete_subnet', row, { id: taskId, data: { network_id: row.network_id } });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    const row = await store.readSubnet(ctx.db, id, ctx.scope);
    return viewSubnet(row, ctx.region.name, ctx.project.id);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: SubnetListQuery) {
    refuseUnstorable(query, 'query');
    const page = await listSubnets(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      shared: query.owned_by === 'any',
      networkId: query.network_id,
      namePart: query.name__contains,
      order: query.order_by,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, (row) => viewSubnet(row, ctx.region.name, ctx.project.id));
  }
}

/** @throws Invalid naming every faulty field */
function settingsAfter(row: SubnetRow, input: UpdateSubnet): store.SubnetSettings {
  const range = parseRange(row.cidr);
  if (!range) throw new Invalid({ cidr: ['of the subnet cannot be read'] });
  const faults = new Faults();
  const gateway = input.gateway_ip === undefined ? row.gateway_ip : canonical(input.gateway_ip);
  const nameServers = input.dns_nameservers === undefined ? row.dns_nameservers : input.dns_nameservers;
  const hostRoutes = input.host_routes === undefined ? row.host_routes : input.host_routes;
  checkGateway(range, gateway, faults);
  checkNameServers(nameServers, faults);
  checkHostRoutes(range, hostRoutes, faults);
  const tags = faults.try(() => patchTags(row.tags, input.tags));
  return {
    name: input.name ?? row.name,
    gateway,
    enableDhcp: input.enable_dhcp ?? row.enable_dhcp,
    nameServers,
    hostRoutes,
    totalIps: countOf(range, gateway),
    tags: faults.require(tags),
  };
}
