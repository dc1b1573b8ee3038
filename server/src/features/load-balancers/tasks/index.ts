import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { DataPlanes } from '../data-planes.ts';
import { partTasks } from '../parts/tasks.ts';
import { createTask } from './create.ts';
import { deleteTask } from './delete.ts';
import { failoverTask } from './failover.ts';
import { resizeTask } from './resize.ts';
import { updateTask } from './update.ts';

/** Every task of this feature. */
export const loadBalancerTasks = (providers: DataPlanes): readonly TaskHandler[] => [
  createTask(providers),
  updateTask(providers),
  deleteTask(providers),
  resizeTask(providers),
  failoverTask(providers),
  ...partTasks(providers),
];
