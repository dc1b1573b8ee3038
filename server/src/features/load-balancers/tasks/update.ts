import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { DataPlanes } from '../data-planes.ts';
import type { Settings } from '../model.ts';
import { restoreLoadBalancer } from '../store.ts';
import { type ChangeInput, changeTask } from './change.ts';

export interface UpdateInput extends ChangeInput {
  /** To go back to when the data plane cannot follow. */
  readonly previous: Settings;
}

/** Changed settings of a load balancer. */
export function updateTask(providers: DataPlanes): TaskHandler {
  return changeTask(providers, 'update_loadbalancer', ({ db, task }, held) =>
    restoreLoadBalancer(db, held, (task.input as UpdateInput).previous),
  );
}
