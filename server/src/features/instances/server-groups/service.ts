import { Conflict, NotOffered } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import { joinServerGroup, readServerGroupOf } from '../../server-groups/index.ts';
import { type InstanceDeps, requireInstanceProvider } from '../access.ts';
import { startChange } from '../hold.ts';
import { requireChangeable } from '../model.ts';
import { lockInstance } from '../store.ts';

/** Puts it into a server group, from the moment of acceptance, so that the group is not deleted meanwhile.
 *  @throws Forbidden where the region cannot do it, NotFound for it or the group, Conflict when it is in a group already, in no state for this, or held */
export const putIntoServerGroup = (deps: InstanceDeps, ctx: RegionContext, id: string, groupId: string) =>
  change(deps, ctx, { id, action: 'put_into_servergroup' }, (tx) =>
    joinServerGroup(tx, { ...ctx.scope, groupId, instanceId: id, timestamp: ctx.clock.timestamp() }),
  );

/** @throws Forbidden where the region cannot do it, NotFound, Conflict when it is in no group, in no state for this, or held */
export const removeFromServerGroup = (deps: InstanceDeps, ctx: RegionContext, id: string) =>
  change(deps, ctx, { id, action: 'remove_from_servergroup' }, async (tx) => {
    if (!(await readServerGroupOf(tx, id))) throw new Conflict(`Instance ${id} is in no server group`);
  });

function change(
  deps: InstanceDeps,
  ctx: RegionContext,
  {
    id,
    action,
  }: { readonly id: string; readonly action: 'put_into_servergroup' | 'remove_from_servergroup' },
  write: (tx: Tx) => Promise<unknown>,
): Promise<TaskRef> {
  requireInstanceProvider(deps, ctx);
  const fault = deps.providerOf(ctx.region.id)?.regroupFault;
  if (fault !== undefined) throw new NotOffered(fault);
  return ctx.db.transaction(async (tx) => {
    const row = await lockInstance(tx, id, ctx.scope);
    requireChangeable(row, action);
    await write(tx);
    return startChange(tx, ctx, row, action, {});
  });
}
