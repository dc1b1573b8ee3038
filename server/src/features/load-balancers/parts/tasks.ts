import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { DataPlanes } from '../data-planes.ts';
import { changeTask } from '../tasks/change.ts';
import { restoreParts } from './store.ts';

/** Every task that changes parts; they all do the same, because what to do is in the rows. */
export const PART_TASKS = [
  'create_lblistener',
  'patch_lblistener',
  'delete_lblistener',
  'create_lbpool',
  'patch_lbpool',
  'delete_lbpool',
  'create_lbmember',
  'patch_lbmember',
  'delete_lbmember',
  'put_lbmembers',
  'create_lbpool_health_monitor',
  'patch_lbpool_health_monitor',
  'delete_lbpool_health_monitor',
  'create_l7policy',
  'patch_l7policy',
  'delete_l7policy',
  'create_l7rule',
  'put_l7rule',
  'delete_l7rule',
] as const;
export type PartTask = (typeof PART_TASKS)[number];

export const partTasks = (providers: DataPlanes): readonly TaskHandler[] =>
  PART_TASKS.map((type) => changeTask(providers, type, ({ db }, held) => restoreParts(db, held)));
