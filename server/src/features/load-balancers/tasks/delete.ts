import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import { release } from '../../quotas/index.ts';
import type { DataPlanes } from '../data-planes.ts';
import { markFailed } from '../parts/store.ts';
import { deleteLoadBalancer } from '../store.ts';
import { TASK_DEADLINE_MS } from './common.ts';

/** Stops a load balancer, then forgets it; when it cannot be stopped, it stays in ERROR and can be deleted again. */
export function deleteTask(providers: DataPlanes): TaskHandler {
  return {
    type: 'delete_loadbalancer',
    deadlineMs: TASK_DEADLINE_MS,
    async run({ task, operation }) {
      const { regionId, subject } = task;
      const provider = providers.forTask(regionId);
      const waiting = waitFor(await provider.remove(subject, operation));
      if (waiting) return waiting;
      return done({}, async (tx) => {
        if (await deleteLoadBalancer(tx, subject, task.id))
          await release(tx, task, { loadbalancer_count: 1 });
      });
    },
    async undo({ task }) {
      return done({}, (tx) => markFailed(tx, task.subject, task.id));
    },
  };
}
