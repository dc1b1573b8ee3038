import { Conflict, Invalid, NotOffered } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { startFor, type TaskRef } from '../../../platform/tasks/start.ts';
import type { DataPlanes } from '../data-planes.ts';
import { FLAVORS, flavorNamed, flavorOf } from '../flavors.ts';
import { type LoadBalancerRow, requireTransition } from '../model.ts';
import { holdLoadBalancer, lockLoadBalancer } from '../store.ts';
import type { ResizeInput } from '../tasks/resize.ts';
import type { Failover, Resize } from './schema.ts';
import { changeFlavor } from './store.ts';

/** Commands on a whole load balancer beside its life: another size, other processes. One transaction each. */
export class LoadBalancerOperations {
  readonly #providers: DataPlanes;

  constructor(providers: DataPlanes) {
    this.#providers = providers;
  }

  /** @throws Invalid for a flavor that is not on offer or that it has already, NotFound, Conflict, Forbidden */
  async resize(ctx: RegionContext, id: string, { flavor }: Resize): Promise<TaskRef> {
    if (!flavorNamed(flavor)) {
      const names = FLAVORS.map(({ name }) => name).join(', ');
      throw new Invalid({ flavor: [`must be one of: ${names}`] });
    }
    const fault = this.#providers.of(ctx.region.id)?.resizeFault;
    if (fault !== undefined) throw new NotOffered(fault);
    return this.#operate(ctx, id, async (tx, row) => {
      // One in ERROR is repaired by what it was in the middle of.
      if (flavorOf(row.flavor).name === flavor && row.provisioning_status !== 'ERROR') {
        throw new Invalid({ flavor: [`the load balancer has the flavor ${flavor} already`] });
      }
      await changeFlavor(tx, id, flavor, ctx.clock.timestamp());
      const input: ResizeInput = { previous: row.flavor, version: row.version + 1 };
      return { type: 'resize_loadbalancer', input: { ...input } };
    });
  }

  /** @throws NotFound, Conflict for one that is busy, or in ERROR without `force`, Forbidden */
  async failover(ctx: RegionContext, id: string, { force = false }: Failover): Promise<TaskRef> {
    return this.#operate(ctx, id, async (_tx, row) => {
      if (row.provisioning_status === 'ERROR' && !force) {
        throw new Conflict(`Load balancer ${id} is ERROR: a failover with "force": true repairs it`);
      }
      return { type: 'failover_loadbalancer' };
    });
  }

  async #operate(
    ctx: RegionContext,
    id: string,
    change: (
      tx: Tx,
      row: LoadBalancerRow,
    ) => Promise<{ type: string; input?: Readonly<Record<string, unknown>> }>,
  ): Promise<TaskRef> {
    await this.#providers.require(ctx.region);
    return ctx.db.transaction(async (tx) => {
      const row = await lockLoadBalancer(tx, id, ctx.scope);
      requireTransition(row, 'PENDING_UPDATE');
      const { type, ...task } = await change(tx, row);
      const taskId = ctx.ids.uuid();
      await holdLoadBalancer(tx, id, 'PENDING_UPDATE', taskId);
      return startFor(tx, ctx, type, row, { ...task, id: taskId });
    });
  }
}
