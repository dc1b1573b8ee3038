import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { Settings } from '../model.ts';
import type { RegionProviders } from '../region-providers.ts';
import { restoreLoadBalancer } from '../store.ts';
import { applyTree, reapplyOrFail } from './apply.ts';
import { MINUTE_MS } from './common.ts';

export interface UpdateInput {
  /** To go back to when the data plane cannot follow. */
  readonly previous: Settings;
  /** The version that carries the change. */
  readonly version: number;
}

/** Makes the data plane follow changed settings; when it cannot, the old ones are back. */
export function updateTask(providers: RegionProviders): TaskHandler {
  return {
    type: 'update_loadbalancer',
    deadlineMs: 15 * MINUTE_MS,
    run: (run) => applyTree(run, providers),
    async undo(run) {
      const { previous, version } = run.task.input as UpdateInput;
      const { id: taskId, subject: id } = run.task;
      await restoreLoadBalancer(run.db, { id, taskId, changed: version }, previous);
      return reapplyOrFail(run, providers);
    },
  };
}
