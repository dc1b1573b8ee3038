import type { ChangeWatcher } from '../../platform/changes/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { type SlotLimits, Slots } from '../../platform/http/slots.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import { tasksInNeed } from './attention.ts';
import { Horizon } from './changes.ts';
import { epochJob } from './epochs.ts';
import { taskExamples } from './examples.ts';
import { type TaskReadOptions, TaskReads } from './reads.ts';
import { taskRoutes } from './routes.ts';
import { runRoutes } from './run-routes.ts';
import { TaskRuns, type Watchdog } from './runs.ts';
import { STREAMS } from './stream.ts';

export { type TaskReadOptions, TaskReads } from './reads.ts';

export function tasks(deps: {
  readonly watcher: TaskWatcher;
  readonly changes: ChangeWatcher;
  readonly db: Db;
  /** Default: STREAMS. */
  readonly streams?: SlotLimits | undefined;
  readonly reads?: TaskReadOptions | undefined;
  readonly watchdog: () => Watchdog;
}): Feature {
  const { watcher, changes, db, streams = STREAMS, reads } = deps;
  const one = new TaskReads(db, watcher, reads);
  const slots = new Slots('streams of tasks', streams);
  return {
    name: 'tasks',
    areas: { Tasks: 'Changes that take time, and what became of them.' },
    nouns: { tasks: 'Task' },
    examples: taskExamples,
    attention: tasksInNeed,
    routes: [
      ...taskRoutes(one, { watcher, changes, slots, horizon: new Horizon(db) }),
      ...runRoutes(new TaskRuns(one, deps.watchdog)),
    ],
    background: [epochJob(db)],
  };
}
