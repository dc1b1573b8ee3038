import type { TaskHandler } from '../../../platform/tasks/handler.ts';
import type { DataPlanes } from '../data-planes.ts';
import { changeTask } from '../tasks/change.ts';
import { restoreParts } from './store.ts';

const tasksOf = <Noun extends string>(noun: Noun) =>
  [`create_${noun}`, `patch_${noun}`, `delete_${noun}`] as const;

/** Every task that changes parts; they all do the same, because what to do is in the rows. */
export const PART_TASKS = [
  ...tasksOf('lblistener'),
  ...tasksOf('lbpool'),
  ...tasksOf('lbmember'),
  'put_lbmembers',
  ...tasksOf('lbpool_health_monitor'),
  ...tasksOf('l7policy'),
  'create_l7rule',
  'put_l7rule',
  'delete_l7rule',
] as const;
export type PartTask = (typeof PART_TASKS)[number];

export const partTasks = (providers: DataPlanes): readonly TaskHandler[] =>
  PART_TASKS.map((type) => changeTask(providers, type, ({ db }, held) => restoreParts(db, held)));
