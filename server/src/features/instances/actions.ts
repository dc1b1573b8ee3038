import { Conflict } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startNothing, type TaskRef, taskFor } from '../../platform/tasks/start.ts';
import { excessOf, reserve } from '../quotas/index.ts';
import { flavorsIn, type InstanceDeps, requireInstanceProvider } from './access.ts';
import { startChange } from './hold.ts';
import { CHANGES, instanceAmounts, type Power, requireChangeable } from './model.ts';
import { knownFlavor } from './new-instance.ts';
import type { InstanceAction } from './schema-actions.ts';
import { readRamOfInstance } from './sizing/store.ts';
import * as store from './store.ts';

/** What each action makes of an instance; a restart is one boot more. */
const POWERS: Readonly<Record<InstanceAction['action'], Power>> = {
  start: 'running',
  stop: 'stopped',
  suspend: 'suspended',
  resume: 'running',
  reboot: 'running',
  reboot_hard: 'running',
};

/** What can be done to an instance that is there: one transaction and one task each. */
export class InstanceActions {
  readonly #deps: InstanceDeps;

  constructor(deps: InstanceDeps) {
    this.#deps = deps;
  }

  /** @throws NotFound, Conflict when it is in no state for this, a node of a cluster, or held by a task */
  async act(ctx: RegionContext, id: string, { action }: InstanceAction): Promise<TaskRef> {
    requireInstanceProvider(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockInstance(tx, id, ctx.scope);
      requireChangeable(row, action);
      const restarts = action === 'reboot' || action === 'reboot_hard';
      return startChange(tx, ctx, row, action, {
        power: POWERS[action],
        ...(restarts ? { boots: row.boots + 1 } : {}),
      });
    });
  }

  /** Where the console of an instance is.
   *  @throws NotFound, Conflict when it is not running, or the instances of the region have no consoles */
  async console(ctx: RegionContext, id: string, kind: string | undefined) {
    requireInstanceProvider(this.#deps, ctx);
    const row = await store.readInstance(ctx.db, id, ctx.scope);
    const provider = this.#deps.providerOf(ctx.region.id);
    if (!provider?.consoleOf) {
      throw new Conflict(`Instance ${id} has no console: nothing boots in region ${ctx.region.name}`);
    }
    if (row.status !== 'ACTIVE') {
      throw new Conflict(`Instance ${id} is ${row.status}; it must be ACTIVE to open its console`);
    }
    const { url, type, protocol } = await provider.consoleOf(id, kind);
    return { remote_console: { url, type, protocol } };
  }

  /** Changes the size. The task of one that it has already has ended.
   *  @throws NotFound, Invalid for a flavor that does not exist or is too small for its image, Conflict when it is
   *  in no state for this, a node of a cluster, or held by a task, QuotaExceeded */
  async changeFlavor(ctx: RegionContext, id: string, flavorId: string): Promise<TaskRef> {
    requireInstanceProvider(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockInstance(tx, id, ctx.scope);
      const faults = new Faults();
      const known = knownFlavor(flavorId, 'flavor_id', faults, flavorsIn(this.#deps, ctx));
      const ram = await readRamOfInstance(tx, id);
      if (known && known.ram < ram) faults.add('flavor_id', `its image needs ${ram} MiB of memory`);
      const flavor = faults.require(known);
      requireChangeable(row, 'changeflavor');
      if (flavor.id === row.flavor.id) {
        return startNothing(tx, ctx, taskFor(ctx, CHANGES.changeflavor.task, row));
      }
      const task = await startChange(tx, ctx, row, 'changeflavor', { flavor });
      await reserve(tx, ctx.quota, excessOf(instanceAmounts(flavor), instanceAmounts(row.flavor)));
      return task;
    });
  }
}
