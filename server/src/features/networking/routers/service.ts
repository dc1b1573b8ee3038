import { Invalid } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { recordAudit } from '../../../platform/audit/audit.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { requireProvider } from '../../../platform/tasks/providers.ts';
import { startFor, startNothing, startTask, type TaskRef, taskFor } from '../../../platform/tasks/start.ts';
import { guardProject } from '../../projects/index.ts';
import { reserve } from '../../quotas/index.ts';
import { type AddressProvider, lockAddresses } from '../addresses/index.ts';
import {
  applyAtOnce,
  findSubnet,
  type NetworkProvider,
  readExternalNetwork,
  WHOLE_REGION,
} from '../networks/index.ts';
import { desiredRouter } from './apply.ts';
import { type Attachment, attachSubnet, detachSubnet, openGateway, spacesOf } from './interfaces.ts';
import { checkedRoutes, type RouterRow } from './model.ts';
import type { AttachSubnet, CreateRouter, GatewayInput, RouterListQuery, UpdateRouter } from './schema.ts';
import * as store from './store.ts';
import type { RouterUpdate } from './tasks.ts';
import { viewRouter } from './views.ts';

export interface RouterDeps {
  providerOf(regionId: number): NetworkProvider | undefined;
  addressesOf(regionId: number): AddressProvider | undefined;
}

/** Commands on routers, one transaction each, and reads. */
export class RouterService {
  readonly #deps: RouterDeps;

  constructor(deps: RouterDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid naming every faulty field, NotFound for what the body names, Conflict when an address is in use,
   *  Forbidden, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateRouter): Promise<TaskRef> {
    const addresses = this.#require(ctx);
    const [id, taskId, timestamp] = [ctx.ids.uuid(), ctx.ids.uuid(), ctx.clock.timestamp()];
    const { clientId } = ctx.project;
    const { name, external_gateway_info: gateway } = input;
    this.#refuseWithoutSnat(ctx, gateway);
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      await requireExternal(tx, ctx, gateway);
      const enableSnat = gateway?.enable_snat ?? true;
      const row = { ...ctx.scope, id, clientId, name, networkId: null, enableSnat, taskId, timestamp };
      await store.insertRouter(tx, row);
      const attachments = await attachmentsOf(tx, ctx, input);
      await lockAddresses(tx, ctx.region.id, [
        ...(gateway ? [WHOLE_REGION] : []),
        ...attachments.flatMap(({ subnet }) => spacesOf(subnet, addresses)),
      ]);
      if (gateway) await store.setGateway(tx, id, await openGateway(tx, ctx, id, addresses));
      for (const attachment of attachments) {
        const router = await store.readRouter(tx, id, ctx.scope);
        await attachSubnet(tx, ctx, router, attachment, addresses);
      }
      const router = await store.readRouter(tx, id, ctx.scope);
      await store.setRoutes(tx, id, routesOf(router, input.routes ?? []));
      const task = await startFor(tx, ctx, 'create_router', { id, name }, { id: taskId });
      await reserve(tx, ctx.quota, { router_count: 1 });
      return task;
    });
  }

  /** Changes name, routes and external gateway by a task; that of one that changes nothing has ended already.
   *  @throws Invalid naming every faulty field, NotFound, Conflict naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateRouter): Promise<TaskRef> {
    const addresses = this.#require(ctx);
    const { external_gateway_info: gateway } = input;
    this.#refuseWithoutSnat(ctx, gateway ?? null);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockRouter(tx, id, ctx.scope);
      const routes = input.routes === undefined ? row.routes : routesOf(row, input.routes);
      await requireExternal(tx, ctx, gateway ?? null);
      requireFree('Router', row);
      const name = input.name ?? row.name;
      const enable_snat = gateway ? (gateway.enable_snat ?? true) : row.enable_snat;
      const has = gateway === undefined ? row.gateway_port_id !== null : gateway !== null;
      const same = has === (row.gateway_port_id !== null) && name === row.name;
      const taskId = ctx.ids.uuid();
      const task = taskFor(ctx, 'update_router', row, { id: taskId });
      if (same && enable_snat === row.enable_snat && sameRoutes(routes, row.routes)) {
        return startNothing(tx, ctx, task);
      }
      const opened = has && row.gateway_port_id === null ? await openGateway(tx, ctx, id, addresses) : null;
      const closed = has ? null : row.gateway_port_id;
      const gateway_port_id = has ? (opened ?? row.gateway_port_id) : null;
      await store.holdRouter(tx, id, taskId);
      const change: RouterUpdate = { name, routes, enable_snat, gateway_port_id, opened, closed };
      return startTask(tx, ctx, { ...task, input: { ...change } });
    });
  }

  /** Deletes it with its interfaces.
   *  @throws NotFound, Conflict naming the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeRouter(tx, id, ctx.scope);
      const taskId = ctx.ids.uuid();
      await store.holdRouter(tx, id, taskId);
      return startFor(tx, ctx, 'delete_router', row, { id: taskId });
    });
  }

  /** Attaches a subnet at once.
   *  @throws as `attachSubnet`; Conflict naming the task that holds the router */
  async attach(ctx: RegionContext, id: string, input: AttachSubnet) {
    const addresses = this.#require(ctx);
    const { subnet_id: subnetId, ip_address: address } = input;
    return this.#atOnce(ctx, id, 'attach_router_subnet', async (tx, row) => {
      const subnet = await findSubnet(tx, { ...ctx.scope, subnetId }, 'subnet_id');
      await attachSubnet(tx, ctx, row, { subnet, address, field: 'subnet_id' }, addresses);
    });
  }

  /** Detaches a subnet at once.
   *  @throws NotFound, Conflict when routes lead through it or a task holds the router */
  async detach(ctx: RegionContext, id: string, subnetId: string) {
    this.#require(ctx);
    return this.#atOnce(ctx, id, 'detach_router_subnet', (tx, row) =>
      detachSubnet(tx, row, subnetId, ctx.clock.timestamp()),
    );
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewRouter(await store.readRouter(ctx.db, id, ctx.scope), ctx.region.name);
  }

  async list(ctx: RegionContext, query: RouterListQuery) {
    refuseUnstorable(query, 'query');
    const { name, name__contains: namePart, limit, offset } = query;
    return viewPage(await store.listRouters(ctx.db, { ...ctx.scope, name, namePart, limit, offset }), (row) =>
      viewRouter(row, ctx.region.name),
    );
  }

  async #atOnce(
    ctx: RegionContext,
    id: string,
    action: string,
    work: (tx: Tx, row: RouterRow) => Promise<void>,
  ) {
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeRouter(tx, id, ctx.scope);
      await work(tx, row);
      await store.touchRouter(tx, id, ctx.clock.timestamp());
      await recordAudit(tx, ctx, { action, subject: id, name: row.name, ...ctx.scope });
    });
    const desired = desiredRouter(await store.readRouter(ctx.db, id, ctx.scope));
    await applyAtOnce(ctx, this.#deps.providerOf(ctx.region.id), [desired]);
    return this.get(ctx, id);
  }

  /** @throws Invalid where every router translates addresses */
  #refuseWithoutSnat(ctx: RegionContext, gateway: GatewayInput | null): void {
    if (gateway?.enable_snat !== false || !this.#deps.providerOf(ctx.region.id)?.alwaysSnat) return;
    throw new Invalid({
      'external_gateway_info.enable_snat': [
        'must be true: routers of this region translate addresses always',
      ],
    });
  }

  /** @throws Forbidden when the region has no networks */
  #require(ctx: RegionContext): AddressProvider | undefined {
    requireProvider(this.#deps, ctx.region, 'networks, and so no routers');
    return this.#deps.addressesOf(ctx.region.id);
  }
}

/** @throws Invalid or NotFound for a subnet that is not there */
async function attachmentsOf(
  tx: Tx,
  ctx: RegionContext,
  { interfaces }: CreateRouter,
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const [index, { subnet_id: subnetId }] of (interfaces ?? []).entries()) {
    const field = `interfaces.${index}.subnet_id`;
    attachments.push({ subnet: await findSubnet(tx, { ...ctx.scope, subnetId }, field), field });
  }
  return attachments;
}

/** @throws Invalid for a network that is not the region's own */
async function requireExternal(tx: Tx, ctx: RegionContext, gateway: GatewayInput | null): Promise<void> {
  if (gateway?.network_id === undefined) return;
  const external = await readExternalNetwork(tx, ctx.region.id);
  if (gateway.network_id === external.id) return;
  throw new Invalid({
    'external_gateway_info.network_id': [
      `is not the external network of the region, which is ${external.id}`,
    ],
  });
}

/** @throws Invalid naming every route at fault */
function routesOf(router: RouterRow, routes: NonNullable<UpdateRouter['routes']>) {
  const faults = new Faults();
  const checked = checkedRoutes(
    routes,
    router.interfaces.map(({ cidr }) => cidr),
    faults,
  );
  faults.refuse();
  return checked;
}

function sameRoutes(a: RouterRow['routes'], b: RouterRow['routes']): boolean {
  const text = (routes: RouterRow['routes']) =>
    routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`).join();
  return text(a) === text(b);
}
