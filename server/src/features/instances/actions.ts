import { Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { NO_TASK, startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { excessOf, reserve } from '../quotas/index.ts';
import { type InstanceDeps, placeOf, quotaScopeOf, requireMachines, taskOf } from './access.ts';
import { CHANGES, type InstanceRow, machineAmounts, type Power, requireChangeable } from './model.ts';
import { knownFlavor } from './new-instance.ts';
import type { InstanceAction } from './schema-actions.ts';
import * as store from './store.ts';
import type { ChangeInput } from './tasks/change.ts';

/** What each action makes of a machine; a restart is one boot more. */
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
    requireMachines(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockInstance(tx, id, placeOf(ctx));
      requireChangeable(row, action);
      const restarts = action === 'reboot' || action === 'reboot_hard';
      return start(tx, ctx, row, action, {
        power: POWERS[action],
        ...(restarts ? { boots: row.boots + 1 } : {}),
      });
    });
  }

  /** Changes the size. One that it has already needs no task.
   *  @throws NotFound, Invalid for a flavor that does not exist or is too small for its image, Conflict when it is
   *  in no state for this, a node of a cluster, or held by a task, QuotaExceeded */
  async changeFlavor(ctx: RegionContext, id: string, flavorId: string): Promise<TaskRef> {
    requireMachines(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockInstance(tx, id, placeOf(ctx));
      const faults = new Faults();
      const flavor = knownFlavor(flavorId, 'flavor_id', faults);
      faults.refuse();
      if (!flavor) throw new Invalid({ flavor_id: ['is unknown'] });
      requireChangeable(row, 'changeflavor');
      if (flavor.id === row.flavor.id) return NO_TASK;
      const task = await start(tx, ctx, row, 'changeflavor', { flavor });
      await reserve(tx, quotaScopeOf(ctx), excessOf(machineAmounts(flavor), machineAmounts(row.flavor)));
      return task;
    });
  }
}

type Tx = Parameters<typeof store.lockInstance>[0];

/** Gives the instance to a task that makes of it what the input says. */
async function start(
  tx: Tx,
  ctx: RegionContext,
  row: InstanceRow,
  change: keyof typeof CHANGES,
  input: ChangeInput,
): Promise<TaskRef> {
  const taskId = ctx.ids.uuid();
  const { task, taskState, ...more } = CHANGES[change];
  const status = 'status' in more ? more.status : undefined;
  await store.holdInstance(tx, row.id, { taskId, taskState, status, timestamp: ctx.clock.timestamp() });
  return startTask(tx, ctx, { ...taskOf(ctx, task, row, taskId), input: { ...input } });
}
