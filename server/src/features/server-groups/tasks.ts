import { done, type TaskHandler } from '../../platform/tasks/handler.ts';
import { release } from '../quotas/index.ts';
import { deleteGroup, holdGroup } from './store.ts';

const DEADLINE_MS = 5 * 60_000;

/** Nothing but the database knows of a group: where an instance is put is decided when it is built. */
export const deleteServerGroupTask: TaskHandler = {
  type: 'delete_servergroup',
  deadlineMs: DEADLINE_MS,
  withoutFaults: true,
  run: async ({ task }) =>
    done({}, async (tx) => {
      if (await deleteGroup(tx, task.subject, task.id)) await release(tx, task, { servergroup_count: 1 });
    }),
  undo: async ({ task }) => done({}, (tx) => holdGroup(tx, task.subject, null)),
};
