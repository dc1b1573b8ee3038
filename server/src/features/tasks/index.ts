import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import { TaskReads } from './reads.ts';
import { taskRoutes } from './routes.ts';

export { TaskReads } from './reads.ts';

export function tasks(deps: { readonly watcher: TaskWatcher; readonly db: Db }): Feature {
  return { name: 'tasks', routes: taskRoutes(new TaskReads(deps.db, deps.watcher), deps.watcher) };
}
