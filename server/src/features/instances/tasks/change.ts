import { attempt, done, type TaskHandler } from '../../../platform/tasks/handler.ts';
import { excessOf, quotaOf, release } from '../../quotas/index.ts';
import type { InstanceDeps } from '../access.ts';
import { CHANGES, type InstanceRow, instanceAmounts } from '../model.ts';
import { type Outcome, outcomeOf, settleInstance } from '../store.ts';
import { apply, DEADLINE_MS, desiredOf, holdOf, restore, whileHeld } from './common.ts';

/** What a task that changes an instance makes of it. */
export type ChangeInput = Partial<Outcome>;

/** Makes of an instance what its input says; when that fails, it is as it was, or in ERROR when its provider does not
 *  bring it back. */
const changeVmTask = (type: string, deps: InstanceDeps): TaskHandler => ({
  type,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const outcome = { ...outcomeOf(row), ...(run.task.input as ChangeInput) };
    const desired = await desiredOf(run.db, row, outcome);
    const waiting = await apply(run, deps, desired);
    return (
      waiting ??
      done({}, async (tx) => {
        await settleInstance(tx, holdOf(run), outcome);
        await release(tx, quotaOf(row), freed(row, outcome));
      })
    );
  }),
  undo: whileHeld(async (run, row) => {
    const back = await attempt(() => restore(run, deps, row));
    if (typeof back !== 'boolean') return back;
    const outcome = { ...outcomeOf(row), ...(run.task.input as ChangeInput) };
    return done({}, async (tx) => {
      await settleInstance(tx, holdOf(run), outcomeOf(row), !back);
      await release(tx, quotaOf(row), reserved(row, outcome));
    });
  }),
});

/** What a change of size reserved when it was accepted. */
const reserved = (row: InstanceRow, { flavor }: Outcome) =>
  excessOf(instanceAmounts(flavor), instanceAmounts(row.flavor));
/** What it no longer needs once it is done. */
const freed = (row: InstanceRow, { flavor }: Outcome) =>
  excessOf(instanceAmounts(row.flavor), instanceAmounts(flavor));

export const changeVmTasks = (deps: InstanceDeps): readonly TaskHandler[] => {
  const { start, stop, suspend, resume, reboot, reboot_hard, changeflavor } = CHANGES;
  const changes = [start, stop, suspend, resume, reboot, reboot_hard, changeflavor];
  return changes.map(({ task }) => changeVmTask(task, deps));
};
