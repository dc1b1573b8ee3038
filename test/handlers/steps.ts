import type { Done, TaskHandler, TaskRun, Wait } from '../../server/src/platform/tasks/handler.ts';
import type { Faults } from './faults.ts';

/** Ways to run the steps of a task that a real worker may be forced into. */

type Outcome = Done | Wait;
type Change = (step: () => Promise<Outcome>, run: TaskRun) => Promise<Outcome>;

function changed(handler: TaskHandler, faults: Faults, change: Change, onlyUndo = false): TaskHandler {
  const watched = (run: TaskRun) => ({ ...run, db: faults.database(run.db) });
  return {
    ...handler,
    run: (run) => {
      const step = () => faults.during(() => handler.run(watched(run)));
      return onlyUndo ? step() : change(step, run);
    },
    undo: (run, reason) => change(() => faults.during(() => handler.undo(watched(run), reason)), run),
  };
}

/** As it is meant to be. */
export const once = (faults: Faults) => (handler: TaskHandler) => changed(handler, faults, (step) => step());

/** Every step is done twice. What the first one would have written is lost: only one run of a task can commit. */
export const twice = (faults: Faults) => (handler: TaskHandler) =>
  changed(handler, faults, async (step) => {
    await step();
    return step();
  });

const CRASHES = 2;

/** Every step is done, and then the worker dies before it is written down; several times, then it may go on. */
export const crashing = (faults: Faults) => crashes(faults, false);

/** The same for the steps of the undoing only. */
export const crashingUndo = (faults: Faults) => crashes(faults, true);

function crashes(faults: Faults, onlyUndo: boolean) {
  let left = CRASHES;
  const change: Change = async (step) => {
    const outcome = await step();
    if (left-- > 0) throw new Error('the worker died before it wrote this down');
    left = CRASHES;
    return outcome;
  };
  return (handler: TaskHandler) => changed(handler, faults, change, onlyUndo);
}

/** Every step is done, and before it is written down `meanwhile` happens: the worker was frozen. */
export const frozen =
  (faults: Faults, meanwhile: (taskId: string) => Promise<void>) => (handler: TaskHandler) =>
    changed(handler, faults, async (step, run) => {
      const outcome = await step();
      await meanwhile(run.task.id);
      return outcome;
    });
