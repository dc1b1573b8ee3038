import { Conflict, Forbidden, Invalid } from '../../kernel/errors.ts';
import { canonicalAddress, isHostOf, parseRange } from '../../kernel/subnets.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import { refuseUnstorable } from '../../platform/http/body.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { type AddressPlace, findPlace, readNetworks, viewNetwork, WHOLE_REGION } from '../networks/index.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { nameOf } from './convert.ts';
import { type ReservedIpRow, requireIdle, requireUnshared, requireUnused } from './model.ts';
import type { ReservedIpProvider } from './port.ts';
import type { CreateReservedFixedIp, ReservedFixedIpListQuery, UpdateReservedFixedIp } from './schema.ts';
import * as store from './store.ts';
import { viewReservedIp } from './views.ts';

export interface ReservedIpDeps {
  providerOf(regionId: number): ReservedIpProvider | undefined;
}

const DEFAULT_LIMIT = 1000;

/** What is asked for, in the terms of the database. */
interface Wanted {
  readonly id: string;
  readonly place: AddressPlace;
  readonly space: string;
  /** null: any. */
  readonly address: string | null;
}

/** Commands on reserved fixed IPs, one transaction each, and reads. */
export class ReservedIpService {
  readonly #deps: ReservedIpDeps;

  constructor(deps: ReservedIpDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid, NotFound for what the body names, Conflict when something has the address, Forbidden,
   *  QuotaExceeded */
  async create(ctx: RegionContext, input: CreateReservedFixedIp): Promise<TaskRef> {
    const provider = this.#provider(ctx);
    const { projectId, regionId } = scopeOf(ctx);
    const { clientId } = ctx.project;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, projectId);
      const wanted = await find(tx, ctx, input, provider);
      const taskId = ctx.ids.uuid();
      const name = nameOf(wanted.id);
      const { external } = wanted.place.network;
      const inserted = await store.insertReservedIp(tx, {
        id: wanted.id,
        projectId,
        regionId,
        clientId,
        networkId: wanted.place.network.id,
        subnetId: wanted.place.subnetId,
        space: wanted.space,
        address: wanted.address,
        isExternal: external,
        isVip: input.is_vip ?? false,
        name,
        taskId,
        timestamp: ctx.clock.timestamp(),
      });
      if (!inserted) {
        throw new Conflict(
          input.type === 'port'
            ? `Port ${wanted.id} is reserved already`
            : `${wanted.address} is in use in network ${wanted.place.network.id}`,
        );
      }
      const task = await start(tx, ctx, 'create_reserved_fixed_ip', wanted.id, name, taskId);
      await reserve(tx, { clientId, regionId }, { external_ip_count: external ? 1 : 0 });
      return task;
    });
  }

  /** Changes whether several may share it, at once.
   *  @throws NotFound, Conflict when a task holds it */
  async update(ctx: RegionContext, id: string, { is_vip }: UpdateReservedFixedIp) {
    this.#provider(ctx);
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockReservedIp(tx, { id, ...scopeOf(ctx) });
      requireIdle(row);
      if (!is_vip) requireUnshared(row);
      await store.changeReservedIp(tx, id, is_vip, ctx.clock.timestamp());
      await recordAudit(tx, ctx, { action: 'update_reserved_fixed_ip', subject: id, ...scopeOf(ctx) });
    });
    return this.get(ctx, id);
  }

  /** @throws NotFound, Conflict naming the load balancer that has it or the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#provider(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockReservedIp(tx, { id, ...scopeOf(ctx) });
      requireIdle(row);
      requireUnused(row);
      requireUnshared(row);
      const taskId = ctx.ids.uuid();
      await store.holdReservedIp(tx, id, taskId);
      return start(tx, ctx, 'delete_reserved_fixed_ip', id, row.name, taskId);
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    const [view] = await viewsOf(ctx, [await store.readReservedIp(ctx.db, { id, ...scopeOf(ctx) })]);
    return view;
  }

  /** @throws Invalid for a faulty regular expression */
  async list(ctx: RegionContext, query: ReservedFixedIpListQuery) {
    refuseUnstorable(query, 'query');
    const { count, rows } = await store.listReservedIps(ctx.db, {
      ...scopeOf(ctx),
      availableOnly: query.available_only ?? false,
      externalOnly: query.external_only ?? false,
      internalOnly: query.internal_only ?? false,
      vipOnly: query.vip_only ?? false,
      deviceId: query.device_id,
      address: query.ip_address,
      order: query.order_by ?? 'fixed_ip_address.asc',
      limit: query.limit ?? DEFAULT_LIMIT,
      offset: query.offset ?? 0,
    });
    return { count, results: await viewsOf(ctx, rows) };
  }

  /** @throws Forbidden when the region has no addresses to reserve */
  #provider(ctx: RegionContext): ReservedIpProvider {
    const provider = this.#deps.providerOf(ctx.region.id);
    if (!provider) throw new Forbidden(`Region ${ctx.region.name} has no addresses to reserve`);
    return provider;
  }
}

const scopeOf = (ctx: RegionContext) => ({ projectId: ctx.project.id, regionId: ctx.region.id });

async function viewsOf(ctx: RegionContext, rows: readonly ReservedIpRow[]) {
  const networks = await readNetworks(
    ctx.db,
    rows.map((row) => row.network_id),
  );
  const views = new Map(networks.map((network) => [network.id, viewNetwork(network, ctx.region.name)]));
  return rows.flatMap((row) => {
    const network = views.get(row.network_id);
    return network ? [viewReservedIp(row, ctx.region.name, network)] : [];
  });
}

function start(
  tx: Tx,
  ctx: RegionContext,
  type: string,
  subject: string,
  name: string,
  id: string,
): Promise<TaskRef> {
  return startTask(tx, ctx, { id, type, subject, name, ...scopeOf(ctx), clientId: ctx.project.clientId });
}

/** Where the address shall come from. */
async function find(
  tx: Tx,
  ctx: RegionContext,
  input: CreateReservedFixedIp,
  provider: ReservedIpProvider,
): Promise<Wanted> {
  const scope = scopeOf(ctx);
  if (input.type === 'port') return portOf(tx, scope, input.port_id);
  const id = ctx.ids.uuid();
  if (input.type === 'ip_address') {
    const address = canonicalAddress(input.ip_address);
    const place = await findPlace(
      tx,
      { ...scope, networkId: input.network_id, containing: address },
      'ip_address',
    );
    const range = parseRange(place.cidr);
    if (place.network.external || !range || !isHostOf(range, address)) {
      throw new Invalid({ ip_address: [`is not an address of ${place.cidr} that can be asked for`] });
    }
    if (address === place.gateway) {
      throw new Invalid({ ip_address: ['is the gateway of its subnet'] });
    }
    return { id, place, space: spaceOf(place, provider), address };
  }
  const named = input.type === 'subnet' ? { subnetId: input.subnet_id } : {};
  const network = input.type === 'any_subnet' ? { networkId: input.network_id } : {};
  const family = input.type === 'subnet' ? undefined : (input.ip_family ?? 'ipv4');
  if (family === 'dual') throw new Invalid({ ip_family: ['dual is not available; choose ipv4 or ipv6'] });
  const version = family === undefined ? undefined : family === 'ipv6' ? 6 : 4;
  const field = input.type === 'subnet' ? 'subnet_id' : 'ip_family';
  const place = await findPlace(tx, { ...scope, ...named, ...network, version }, field);
  return { id, place, space: spaceOf(place, provider), address: null };
}

/** The port of a load balancer, which keeps its address beyond it. */
async function portOf(tx: Tx, scope: ReturnType<typeof scopeOf>, id: string): Promise<Wanted> {
  const port = await store.lockUsedPort(tx, { id, ...scope });
  if (port.vip_address === null) {
    throw new Conflict(`Load balancer ${port.load_balancer_id} has no address yet`, { retryAfterMs: 1000 });
  }
  const subnetId = port.vip_subnet_id ?? undefined;
  const place = await findPlace(tx, { ...scope, subnetId }, 'port_id');
  return { id, place, space: port.vip_space, address: port.vip_address };
}

/** Addresses that nothing can bind are their network's business alone. */
function spaceOf({ network, cidr }: AddressPlace, provider: ReservedIpProvider): string {
  if (network.external) return WHOLE_REGION;
  const own = provider.separateNetworks || (provider.subnetFault?.(cidr) ?? null) !== null;
  return own ? network.id : WHOLE_REGION;
}
