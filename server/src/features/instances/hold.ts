import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { CHANGES, type ChangeName, type InstanceRow } from './model.ts';
import { holdInstance } from './store.ts';

/** Gives a locked instance to the task of a change.
 *  @param input what the task is values, or what gives it more and says so */
export async function startChange(
  tx: Tx,
  ctx: RegionContext,
  row: InstanceRow,
  change: ChangeName,
  input: object | ((taskId: string) => Promise<object>),
): Promise<TaskRef> {
  const taskId = ctx.ids.uuid();
  const { task, taskState, ...more } = CHANGES[change];
  const status = 'status' in more ? more.status : undefined;
  await holdInstance(tx, row.id, { taskId, taskState, status, timestamp: ctx.clock.timestamp() });
  const values = typeof input === 'function' ? await input(taskId) : input;
  return startFor(tx, ctx, task, row, { id: taskId, input: { ...values } });
}
