import { done, type TaskHandler } from '../../platform/tasks/handler.ts';
import { GLOBAL_REGION, release } from '../quotas/index.ts';
import { markActive, markDeleted } from './store.ts';

const MINUTE_MS = 60_000;

export const deleteProjectTask: TaskHandler = {
  type: 'delete_project',
  deadlineMs: 5 * MINUTE_MS,
  withoutFaults: true,
  async run({ task, timestamp }) {
    return done({}, async (tx) => {
      await markDeleted(tx, Number(task.subject), timestamp);
      await release(tx, { clientId: task.clientId, regionId: GLOBAL_REGION }, { project_count: 1 });
    });
  },
  async undo({ task }) {
    return done({}, (tx) => markActive(tx, Number(task.subject)));
  },
};
