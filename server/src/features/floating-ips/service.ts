import { Conflict, Forbidden, Invalid, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import { refuseUnstorable } from '../../platform/http/body.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import { newTags, parseTags, patchTags, type StoredTags, sameTags } from '../../platform/http/tags.ts';
import { NO_TASK, startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import type { Carrier, CarrierRef } from './carrier.ts';
import { listFloatingIps } from './list-store.ts';
import { type FloatingIpRow, requireFree } from './model.ts';
import type { FloatingIpProvider } from './port.ts';
import type { CreateFloatingIp, FloatingIpListQuery, UpdateFloatingIp } from './schema.ts';
import * as store from './store.ts';
import type { MoveInput } from './tasks/move.ts';
import { viewFloatingIp } from './views.ts';

export interface FloatingIpDeps {
  providerOf(regionId: number): FloatingIpProvider | undefined;
  readonly carrier: Carrier;
}

const DEFAULT_LIMIT = 1000;

/** Commands, one transaction each, and reads. A floating IP that is on its way from or to a load balancer is held
 *  by one task together with it. */
export class FloatingIpService {
  readonly #deps: FloatingIpDeps;

  constructor(deps: FloatingIpDeps) {
    this.#deps = deps;
  }

  /** @throws Invalid, NotFound for the port, Conflict when it is busy or has a floating IP, Forbidden,
   *  QuotaExceeded */
  async create(ctx: RegionContext, input: CreateFloatingIp): Promise<TaskRef> {
    const tags = checkedTags(input);
    this.#require(ctx);
    const { id: projectId, clientId } = ctx.project;
    const regionId = ctx.region.id;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, projectId);
      const [id, taskId] = [ctx.ids.uuid(), ctx.ids.uuid()];
      const target = input.port_id ? await this.#target(tx, ctx, input, taskId) : null;
      await store.insertFloatingIp(tx, {
        id,
        projectId,
        regionId,
        clientId,
        loadBalancerId: null,
        tags,
        taskId,
        timestamp: ctx.clock.timestamp(),
      });
      const task = await start(tx, ctx, id, {
        id: taskId,
        type: 'create_fip',
        from: null,
        to: target?.id ?? null,
      });
      await reserve(tx, { clientId, regionId }, { floating_count: 1 });
      return task;
    });
  }

  /** Assigns, moves or unassigns it and patches its tags, by one task; a patch that changes nothing needs none.
   *  @throws Invalid, NotFound, Conflict naming what is in the way, Forbidden */
  async update(ctx: RegionContext, id: string, input: UpdateFloatingIp): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFloatingIp(tx, whereOf(ctx, id));
      const tags = input.tags === undefined ? row.tags : patchTags(row.tags, input.tags);
      requireFree(row);
      const moves = await this.#moves(tx, ctx, row, input);
      if (!moves && sameTags(row.tags, tags)) return NO_TASK;
      const taskId = ctx.ids.uuid();
      const from = moves ? row.load_balancer_id : null;
      const to = moves && input.port_id ? await this.#target(tx, ctx, input, taskId) : null;
      if (from !== null) await this.#deps.carrier.hold(tx, { ...scopeOf(ctx), by: 'id', id: from }, taskId);
      await store.holdFloatingIp(tx, id, taskId);
      const ends = moves
        ? { from, to: to?.id ?? null }
        : { from: row.load_balancer_id, to: row.load_balancer_id };
      return start(tx, ctx, id, { id: taskId, type: 'update_fip', ...ends, tags });
    });
  }

  /** Deletes it; a load balancer that carries it stops serving it.
   *  @throws NotFound, Conflict naming the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockFloatingIp(tx, whereOf(ctx, id));
      requireFree(row);
      const taskId = ctx.ids.uuid();
      const from = row.load_balancer_id;
      if (from !== null) await this.#deps.carrier.hold(tx, { ...scopeOf(ctx), by: 'id', id: from }, taskId);
      await store.holdFloatingIp(tx, id, taskId);
      return start(tx, ctx, id, { id: taskId, type: 'delete_fip', from, to: null });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    const row = await store.readFloatingIp(ctx.db, whereOf(ctx, id));
    if (!row) throw new NotFound(`Floating IP ${id} was not found`);
    return viewFloatingIp(row, ctx.region.name);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: FloatingIpListQuery) {
    refuseUnstorable(query, 'query');
    const { count, rows } = await listFloatingIps(ctx.db, {
      ...scopeOf(ctx),
      ...parseTagFilters(query),
      portIds: query.port_ids,
      status: query.status,
      limit: query.limit ?? DEFAULT_LIMIT,
      offset: query.offset ?? 0,
    });
    const carriers = rows.flatMap((row) => row.load_balancer_id ?? []);
    const views = await this.#deps.carrier.views(ctx, carriers);
    const results = rows.map((row) => ({
      ...viewFloatingIp(row, ctx.region.name),
      loadbalancer: (row.load_balancer_id && views.get(row.load_balancer_id)) ?? null,
      instance: null,
    }));
    return { count, results };
  }

  /** Whether the patch asks for another port than the one it has.
   *  @throws Invalid for an address without a port, or one that the port does not have */
  async #moves(
    tx: Tx,
    ctx: RegionContext,
    row: FloatingIpRow,
    { port_id, fixed_ip_address: address }: UpdateFloatingIp,
  ): Promise<boolean> {
    const now = await store.readFloatingIp(tx, whereOf(ctx, row.id));
    if (port_id === null && address) {
      throw new Invalid({ fixed_ip_address: ['cannot be given when port_id is null'] });
    }
    const port = port_id === undefined ? (now?.port_id ?? null) : port_id;
    if (address && port === null) throw new Invalid({ port_id: ['is required with fixed_ip_address'] });
    const stays = port === (now?.port_id ?? null);
    if (stays && address && address !== now?.fixed_ip_address) throw foreignAddress(address);
    return !stays;
  }

  /** What shall carry the floating IP from now on, held by the task. */
  async #target(
    tx: Tx,
    ctx: RegionContext,
    input: { port_id?: string | null; fixed_ip_address?: string | null },
    taskId: string,
  ): Promise<CarrierRef> {
    const where = { ...scopeOf(ctx), by: 'port', id: input.port_id ?? '' } as const;
    const target = await this.#deps.carrier.hold(tx, where, taskId);
    if (input.fixed_ip_address && input.fixed_ip_address !== target.address) {
      throw foreignAddress(input.fixed_ip_address);
    }
    const other = await store.carriedBy(tx, target.id);
    if (other) throw new Conflict(`Port ${target.portId} has floating IP ${other} already`);
    return target;
  }

  /** @throws Forbidden when the region has no floating IPs */
  #require(ctx: RegionContext): void {
    if (!this.#deps.providerOf(ctx.region.id)) {
      throw new Forbidden(`Region ${ctx.region.name} has no floating IPs to give`);
    }
  }
}

const foreignAddress = (address: string) =>
  new Invalid({ fixed_ip_address: [`${address} is not an address of this port`] });

const scopeOf = (ctx: RegionContext) => ({ projectId: ctx.project.id, regionId: ctx.region.id });
const whereOf = (ctx: RegionContext, id: string): store.Where => ({ ...scopeOf(ctx), id });

/** All faults of the body and its tags at once; `metadata` is what older clients call tags. */
function checkedTags(input: CreateFloatingIp): StoredTags {
  const faults = new Faults();
  if (input.fixed_ip_address && !input.port_id) {
    faults.add('port_id', 'is required with fixed_ip_address');
  }
  const metadata = faults.try(() => parseTags(input.metadata ?? {}, 'metadata'));
  const tags = faults.try(() => parseTags(input.tags ?? {}));
  faults.refuse();
  return newTags({ ...metadata, ...tags });
}

function start(
  tx: Tx,
  ctx: RegionContext,
  subject: string,
  { id, type, ...input }: MoveInput & { id: string; type: string },
): Promise<TaskRef> {
  const { clientId } = ctx.project;
  return startTask(tx, ctx, { id, type, subject, name: subject, ...scopeOf(ctx), clientId, input });
}
