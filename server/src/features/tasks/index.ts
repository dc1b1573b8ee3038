import type { Feature } from '../../platform/feature.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import { taskRoutes } from './routes.ts';

export { awaitTask } from './service.ts';

export function tasks(deps: { watcher: TaskWatcher }): Feature {
  return { name: 'tasks', routes: taskRoutes(deps.watcher) };
}
