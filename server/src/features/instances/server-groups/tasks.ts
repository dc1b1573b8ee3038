import { attempt, done, type TaskHandler } from '../../../platform/tasks/handler.ts';
import { leaveServerGroup } from '../../server-groups/index.ts';
import type { InstanceDeps } from '../access.ts';
import { CHANGES } from '../model.ts';
import { outcomeOf, settleInstance } from '../store.ts';
import { apply, DEADLINE_MS, desiredOf, holdOf, restore, restoring, whileHeld } from '../tasks/common.ts';

/** Places an instance by the rules of the group that it has joined; when that fails, it leaves the group. */
const putTask = (deps: InstanceDeps): TaskHandler => ({
  type: CHANGES.put_into_servergroup.task,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const desired = await desiredOf(run.db, row);
    const waiting = await apply(run, deps, desired);
    return waiting ?? done({}, (tx) => settleInstance(tx, holdOf(run), outcomeOf(row)));
  }),
  undo: whileHeld(async (run, row) => {
    const alone = { ...(await desiredOf(run.db, row)), serverGroup: null };
    const back = await attempt(() => apply(run, deps, alone, restoring(run)));
    if (typeof back !== 'boolean') return back;
    return done({}, async (tx) => {
      await leaveServerGroup(tx, row.id);
      await settleInstance(tx, holdOf(run), outcomeOf(row), !back);
    });
  }),
});

/** Frees an instance from the rules of its group; when that fails, it stays in it. */
const removeTask = (deps: InstanceDeps): TaskHandler => ({
  type: CHANGES.remove_from_servergroup.task,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const alone = { ...(await desiredOf(run.db, row)), serverGroup: null };
    const waiting = await apply(run, deps, alone);
    if (waiting) return waiting;
    return done({}, async (tx) => {
      await leaveServerGroup(tx, row.id);
      await settleInstance(tx, holdOf(run), outcomeOf(row));
    });
  }),
  undo: whileHeld(async (run, row) => {
    const back = await attempt(() => restore(run, deps, row));
    if (typeof back !== 'boolean') return back;
    return done({}, (tx) => settleInstance(tx, holdOf(run), outcomeOf(row), !back));
  }),
});

export const serverGroupTasks = (deps: InstanceDeps): readonly TaskHandler[] => [
  putTask(deps),
  removeTask(deps),
];
