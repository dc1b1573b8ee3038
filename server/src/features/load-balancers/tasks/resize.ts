import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import { restoreFlavor } from '../operations/store.ts';
import type { RegionProviders } from '../region-providers.ts';
import { applyTree, reapplyOrFail } from './apply.ts';
import { MINUTE_MS } from './common.ts';

export interface ResizeInput {
  /** To go back to when the data plane cannot follow; null: the default flavor. */
  readonly previous: string | null;
  /** The version that carries the change. */
  readonly version: number;
}

/** Gives a load balancer the resources of another flavor; when that fails, it has those of the old one. */
export function resizeTask(providers: RegionProviders): TaskHandler {
  return {
    type: 'resize_loadbalancer',
    deadlineMs: 15 * MINUTE_MS,
    run: (run) => applyTree(run, providers),
    async undo(run) {
      const { previous, version } = run.task.input as ResizeInput;
      const { id: taskId, subject: id } = run.task;
      await restoreFlavor(run.db, { id, taskId, changed: version }, previous);
      return reapplyOrFail(run, providers);
    },
  };
}
