import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { leaveServerGroup } from '../../server-groups/index.ts';
import { type InstanceDeps, providerFor } from '../access.ts';
import { CHANGES } from '../model.ts';
import { outcomeOf, settleInstance } from '../store.ts';
import { attempt, DEADLINE_MS, desiredOf, holdOf, restore, restoring, subjectOf } from '../tasks/common.ts';

/** Places a machine by the rules of the group that it has joined; when that fails, it leaves the group. */
const putTask = (deps: InstanceDeps): TaskHandler => ({
  type: CHANGES.put_into_servergroup.task,
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const row = await subjectOf(run);
    if (!row) return done();
    const desired = await desiredOf(run.db, row);
    const waiting = waitFor(await providerFor(run, deps).applyInstance(desired, null, run.operation));
    return waiting ?? done({}, (tx) => settleInstance(tx, holdOf(run), outcomeOf(row)));
  },
  async undo(run) {
    const row = await subjectOf(run);
    if (!row) return done();
    const alone = { ...(await desiredOf(run.db, row)), serverGroup: null };
    const back = await attempt(async () =>
      waitFor(await providerFor(run, deps).applyInstance(alone, null, restoring(run))),
    );
    if (typeof back !== 'boolean') return back;
    return done({}, async (tx) => {
      await leaveServerGroup(tx, row.id);
      await settleInstance(tx, holdOf(run), outcomeOf(row), !back);
    });
  },
});

/** Frees a machine from the rules of its group; when that fails, it stays in it. */
const removeTask = (deps: InstanceDeps): TaskHandler => ({
  type: CHANGES.remove_from_servergroup.task,
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const row = await subjectOf(run);
    if (!row) return done();
    const alone = { ...(await desiredOf(run.db, row)), serverGroup: null };
    const waiting = waitFor(await providerFor(run, deps).applyInstance(alone, null, run.operation));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      await leaveServerGroup(tx, row.id);
      await settleInstance(tx, holdOf(run), outcomeOf(row));
    });
  },
  async undo(run) {
    const row = await subjectOf(run);
    if (!row) return done();
    const back = await attempt(() => restore(run, deps, row));
    if (typeof back !== 'boolean') return back;
    return done({}, (tx) => settleInstance(tx, holdOf(run), outcomeOf(row), !back));
  },
});

export const serverGroupTasks = (deps: InstanceDeps): readonly TaskHandler[] => [
  putTask(deps),
  removeTask(deps),
];
