import { Invalid, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { refuseUnstorable } from '../../../platform/http/json.ts';
import { parseTagFilters } from '../../../platform/http/tag-filters.ts';
import { checkedTags, patchTags, sameTags } from '../../../platform/http/tags.ts';
import { requireProvider } from '../../../platform/tasks/providers.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../../platform/tasks/start.ts';
import { requireAddresses } from '../../capacity/index.ts';
import { guardProject } from '../../projects/index.ts';
import { reserve } from '../../quotas/index.ts';
import type { AddressProvider } from '../addresses/index.ts';
import type { NetworkProvider } from '../networks/index.ts';
import type { DeviceType } from '../ports/index.ts';
import type { Carrier, InstanceSummaries } from './carrier.ts';
import { listFloatingIps } from './list-store.ts';
import { type FloatingIpRow, targetOf } from './model.ts';
import type { CreateFloatingIp, FloatingIpListQuery, UpdateFloatingIp } from './schema.ts';
import * as store from './store.ts';
import { Targets } from './targets.ts';
import type { MoveInput } from './tasks/move.ts';
import { viewFloatingIp } from './views.ts';

/** What tasks need. */
export interface FloatingIpTaskDeps {
  providerOf(regionId: number): AddressProvider | undefined;
  networksOf(regionId: number): NetworkProvider | undefined;
  readonly carrier: Carrier;
}

export interface FloatingIpDeps extends FloatingIpTaskDeps {
  readonly instances: InstanceSummaries;
}

/** Commands, one transaction each, and reads. A floating IP that is on its way from or to a port is held
 *  by one task together with it, or with the load balancer that has it. */
export class FloatingIpService {
  readonly #deps: FloatingIpDeps;
  readonly #targets: Targets;

  constructor(deps: FloatingIpDeps) {
    this.#deps = deps;
    this.#targets = new Targets(deps.carrier);
  }

  /** @throws Invalid, NotFound for the port, Conflict when it is busy or has a floating IP, Forbidden,
   *  QuotaExceeded */
  async create(ctx: RegionContext, input: CreateFloatingIp): Promise<TaskRef> {
    const faults = new Faults();
    if (input.fixed_ip_address && !input.port_id) {
      faults.add('port_id', 'is required with fixed_ip_address');
    }
    const tags = checkedTags(input, faults);
    this.#require(ctx);
    const { id: projectId, clientId } = ctx.project;
    const regionId = ctx.region.id;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, projectId);
      const [id, taskId] = [ctx.ids.uuid(), ctx.ids.uuid()];
      const { port_id: portId, fixed_ip_address: address } = input;
      const to = portId ? await this.#targets.claim(tx, ctx, { portId, address, taskId, for: id }) : null;
      await store.insertFloatingIp(tx, {
        id,
        projectId,
        regionId,
        clientId,
        tags,
        taskId,
        timestamp: ctx.clock.timestamp(),
      });
      const task = await start(tx, ctx, id, { id: taskId, type: 'create_fip', from: null, to });
      await requireAddresses(tx, ctx, taskId);
      await reserve(tx, { clientId, regionId }, { floating_count: 1 });
      return task;
    });
  }

  /** Assigns, moves or unassigns it and patches its tags, by one task; that of a patch that changes nothing has ended already.
   *  @throws Invalid, NotFound, Conflict naming what is in the way, Forbidden */
  async update(ctx: RegionContext, id: string, input: UpdateFloatingIp): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFloatingIp(tx, id, ctx.scope);
      const tags = patchTags(row.tags, input.tags);
      requireFree('Floating IP', row);
      const requested = await this.#requested(tx, ctx, row, input);
      if (requested === 'as it is' && sameTags(row.tags, tags)) {
        return startNothing(tx, ctx, taskFor(ctx, 'update_fip', { id }));
      }
      const taskId = ctx.ids.uuid();
      const from = targetOf(row);
      let to = from;
      if (requested !== 'as it is') {
        if (from && from.portId !== requested?.portId) await this.#targets.hold(tx, ctx, from, taskId);
        to = requested && (await this.#targets.claim(tx, ctx, { ...requested, taskId, for: id }));
      }
      await store.holdFloatingIp(tx, id, taskId);
      return start(tx, ctx, id, { id: taskId, type: 'update_fip', from, to, tags });
    });
  }

  /** Deletes it; a load balancer that carries it stops serving it.
   *  @throws NotFound, Conflict naming the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeFloatingIp(tx, id, ctx.scope);
      const taskId = ctx.ids.uuid();
      const from = targetOf(row);
      if (from) await this.#targets.hold(tx, ctx, from, taskId);
      await store.holdFloatingIp(tx, id, taskId);
      return start(tx, ctx, id, { id: taskId, type: 'delete_fip', from, to: null });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    const row = await store.readFloatingIp(ctx.db, { ...ctx.scope, id });
    if (!row) throw new NotFound(`Floating IP ${id} was not found`);
    return viewFloatingIp(row, ctx.region.name);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: FloatingIpListQuery) {
    refuseUnstorable(query, 'query');
    const { count, rows } = await listFloatingIps(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      portIds: query.port_ids,
      status: query.status,
      limit: query.limit,
      offset: query.offset,
    });
    const idsOf = (type: DeviceType) =>
      rows.flatMap((row) => (row.device_type === type ? (row.device_id ?? []) : []));
    const { carrier } = this.#deps;
    const views = await Promise.all([
      carrier.views(ctx, idsOf('load_balancer')),
      this.#deps.instances.views(ctx, idsOf('instance')),
    ]);
    const [balancers, instances] = views;
    const results = rows.map((row) => ({
      ...viewFloatingIp(row, ctx.region.name),
      loadbalancer: balancers.get(row.device_id ?? '') ?? null,
      instance: instances.get(row.device_id ?? '') ?? null,
    }));
    return { count, results };
  }

  /** Which port and address the patch asks for.
   *  @throws Invalid for an address without a port */
  async #requested(
    tx: Tx,
    ctx: RegionContext,
    { id }: FloatingIpRow,
    { port_id, fixed_ip_address: address = null }: UpdateFloatingIp,
  ): Promise<'as it is' | { portId: string; address: string | null } | null> {
    const now = await store.readFloatingIp(tx, { ...ctx.scope, id });
    if (port_id === null && address) {
      throw new Invalid({ fixed_ip_address: ['cannot be given when port_id is null'] });
    }
    const portId = port_id === undefined ? (now?.port_id ?? null) : port_id;
    if (address && portId === null) throw new Invalid({ port_id: ['is required with fixed_ip_address'] });
    const stays = portId === (now?.port_id ?? null) && (!address || address === now?.fixed_ip_address);
    if (stays) return 'as it is';
    return portId === null ? null : { portId, address };
  }

  /** @throws Forbidden when the region has no floating IPs */
  #require(ctx: RegionContext): void {
    requireProvider(this.#deps, ctx.region, 'floating IPs to give');
  }
}

function start(
  tx: Tx,
  ctx: RegionContext,
  subject: string,
  { id, type, ...input }: MoveInput & { id: string; type: string },
): Promise<TaskRef> {
  return startFor(tx, ctx, type, { id: subject }, { id, input });
}
