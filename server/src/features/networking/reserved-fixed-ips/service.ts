import { Conflict } from '../../../kernel/errors.ts';
import { recordAudit } from '../../../platform/audit/audit.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { requireProvider } from '../../../platform/tasks/providers.ts';
import { startFor, type TaskRef } from '../../../platform/tasks/start.ts';
import { requireAddresses } from '../../capacity/index.ts';
import { guardProject } from '../../projects/index.ts';
import { reserve } from '../../quotas/index.ts';
import type { RegionAddresses } from '../addresses/index.ts';
import { type NetworkProvider, readNetworks, viewNetwork } from '../networks/index.ts';
import { nameOf } from './convert.ts';
import { disconnectAll } from './devices/disconnect.ts';
import { listReservedIps } from './list-store.ts';
import { type ReservedIpRow, requireNoVip, requireUnused } from './model.ts';
import { findRequested } from './requested.ts';
import type { CreateReservedFixedIp, ReservedFixedIpListQuery, UpdateReservedFixedIp } from './schema.ts';
import * as store from './store.ts';
import { viewReservedIp } from './views.ts';

export interface ReservedIpDeps extends RegionAddresses {
  networksOf(regionId: number): NetworkProvider | undefined;
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
    this.#require(ctx);
    const { projectId, regionId } = ctx.scope;
    const { clientId } = ctx.project;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, projectId);
      const requested = await findRequested(tx, ctx, input, this.#deps);
      const taskId = ctx.ids.uuid();
      const name = nameOf(requested.id);
      const { external } = requested.subnet.network;
      const inserted = await store.insertReservedIp(tx, {
        id: requested.id,
        projectId,
        regionId,
        clientId,
        networkId: requested.subnet.network.id,
        subnetId: requested.subnet.subnetId,
        space: requested.space,
        address: requested.address,
        additional: requested.additional,
        isExternal: external,
        isVip: input.is_vip ?? false,
        name,
        taskId,
        timestamp: ctx.clock.timestamp(),
      });
      if (!inserted) {
        throw new Conflict(
          input.type === 'port'
            ? `Port ${requested.id} is reserved already`
            : `${requested.address} is in use in network ${requested.subnet.network.id}`,
        );
      }
      const task = await startFor(
        tx,
        ctx,
        'create_reserved_fixed_ip',
        { id: requested.id, name },
        { id: taskId },
      );
      const addresses = external ? store.externalAddresses(requested.additional !== null) : 0;
      await requireAddresses(tx, ctx, taskId);
      await reserve(tx, { clientId, regionId }, { external_ip_count: addresses });
      return task;
    });
  }

  /** Changes whether several may share it, at once; those that share it are disconnected when nobody may any more.
   *  @throws NotFound, Conflict when a task holds it or one of their ports */
  async update(ctx: RegionContext, id: string, { is_vip }: UpdateReservedFixedIp) {
    this.#require(ctx);
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeReservedIp(tx, id, ctx.scope);
      if (!is_vip) await disconnectAll(tx, ctx, row);
      await store.changeReservedIp(tx, id, is_vip, ctx.clock.timestamp());
      await recordAudit(tx, ctx, { action: 'update_reserved_fixed_ip', subject: id, ...ctx.scope });
    });
    return this.get(ctx, id);
  }

  /** @throws NotFound, Conflict for a virtual IP, or naming the load balancer that has it or the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeReservedIp(tx, id, ctx.scope);
      requireUnused(row);
      requireNoVip(row);
      const taskId = ctx.ids.uuid();
      await store.holdReservedIp(tx, id, taskId);
      return startFor(tx, ctx, 'delete_reserved_fixed_ip', { id, name: row.name }, { id: taskId });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    const [view] = await viewsOf(ctx, [await store.readReservedIp(ctx.db, id, ctx.scope)]);
    return view;
  }

  /** @throws Invalid for a faulty regular expression */
  async list(ctx: RegionContext, query: ReservedFixedIpListQuery) {
    refuseUnstorable(query, 'query');
    const { count, rows } = await listReservedIps(ctx.db, {
      ...ctx.scope,
      availableOnly: query.available_only,
      externalOnly: query.external_only,
      internalOnly: query.internal_only,
      vipOnly: query.vip_only,
      deviceId: query.device_id,
      address: query.ip_address,
      order: query.order_by,
      limit: query.limit,
      offset: query.offset,
    });
    return { count, results: await viewsOf(ctx, rows) };
  }

  /** @throws Forbidden when the region has no addresses to reserve */
  #require(ctx: RegionContext): void {
    requireProvider(this.#deps, ctx.region, 'addresses to reserve');
  }
}

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
