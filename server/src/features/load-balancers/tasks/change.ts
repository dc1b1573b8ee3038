import { TaskFailed } from '../../../kernel/errors.ts';
import type { Created } from '../../../platform/tasks/created-resources.ts';
import { done, type TaskHandler, type TaskRun } from '../../../platform/tasks/handler.ts';
import { undoing } from '../../../platform/tasks/providers.ts';
import type { DataPlanes } from '../data-planes.ts';
import { markFailed } from '../parts/store.ts';
import { readTree } from '../tree-store.ts';
import { converge, heldTree, TASK_DEADLINE_MS } from './common.ts';

/** What every task that changes a load balancer, or a part of one, gets. */
export interface ChangeInput {
  /** Absent: the task's subject. */
  readonly loadBalancerId?: string;
  /** The version that carries the change; absent: nothing was written. */
  readonly version?: number;
  /** What is there once the change is. */
  readonly created?: Created;
}

/** Writes what was before the change back into the rows, as yet another version, however often it is called. */
export type Restore = (
  run: TaskRun,
  held: { readonly id: string; readonly taskId: string; readonly changed: number },
) => Promise<void>;

/** What providers get when something is undone; it costs no simulated time. */
const RESTORING = 'restore_loadbalancer';

/** Makes the data plane follow a change that is written already; when it cannot, what was before is back. */
export function changeTask(providers: DataPlanes, type: string, restore: Restore): TaskHandler {
  return {
    type,
    deadlineMs: TASK_DEADLINE_MS,
    async run(run) {
      const { loadBalancerId, created } = run.task.input as ChangeInput;
      return converge(run, await heldTree(run, loadBalancerId), providers, { created });
    },
    async undo(run) {
      const { task } = run;
      const { loadBalancerId: id = task.subject, version: changed = 0 } = task.input as ChangeInput;
      await restore(run, { id, taskId: task.id, changed });
      const tree = await readTree(run.db, id);
      if (tree?.task_id !== task.id) return done();
      try {
        return await converge({ ...run, operation: undoing(run, RESTORING) }, tree, providers);
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        run.log.warn({ err: error }, 'the data plane did not accept what was before either');
        return done({}, (tx) => markFailed(tx, id, task.id));
      }
    },
  };
}
