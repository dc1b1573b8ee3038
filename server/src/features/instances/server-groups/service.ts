import { Conflict } from '../../../kernel/errors.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import { joinServerGroup, readServerGroupOf } from '../../server-groups/index.ts';
import { type InstanceDeps, requireMachines } from '../access.ts';
import { startChange } from '../hold.ts';
import { requireChangeable } from '../model.ts';
import { lockInstance } from '../store.ts';

/** Puts it into a server group, from the moment of acceptance, so that the group is not deleted meanwhile.
 *  @throws NotFound for it or the group, Conflict when it is in a group already, in no state for this, or held */
export async function putIntoServerGroup(
  deps: InstanceDeps,
  ctx: RegionContext,
  id: string,
  groupId: string,
): Promise<TaskRef> {
  requireMachines(deps, ctx);
  return ctx.db.transaction(async (tx) => {
    const row = await lockInstance(tx, id, ctx.place);
    requireChangeable(row, 'put_into_servergroup');
    const timestamp = ctx.clock.timestamp();
    await joinServerGroup(tx, { ...ctx.place, groupId, instanceId: id, timestamp });
    return startChange(tx, ctx, row, 'put_into_servergroup', {});
  });
}

/** @throws NotFound, Conflict when it is in no group, in no state for this, or held */
export async function removeFromServerGroup(
  deps: InstanceDeps,
  ctx: RegionContext,
  id: string,
): Promise<TaskRef> {
  requireMachines(deps, ctx);
  return ctx.db.transaction(async (tx) => {
    const row = await lockInstance(tx, id, ctx.place);
    requireChangeable(row, 'remove_from_servergroup');
    if (!(await readServerGroupOf(tx, id))) throw new Conflict(`Instance ${id} is in no server group`);
    return startChange(tx, ctx, row, 'remove_from_servergroup', {});
  });
}
