import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { DataPlanes } from '../data-planes.ts';
import { restoreFlavor } from '../operations/store.ts';
import { type ChangeInput, changeTask } from './change.ts';

export interface ResizeInput extends ChangeInput {
  /** To go back to when the data plane cannot follow; null: the default flavor. */
  readonly previous: string | null;
}

/** Gives a load balancer the resources of another flavor; when that fails, it has those of the old one. */
export function resizeTask(providers: DataPlanes): TaskHandler {
  return changeTask(providers, 'resize_loadbalancer', ({ db, task }, held) =>
    restoreFlavor(db, held, (task.input as ResizeInput).previous),
  );
}
