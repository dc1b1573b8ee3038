import type { Feature } from '../../platform/feature.ts';
import { taskRoutes } from './routes.ts';

export function tasks(): Feature {
  return { name: 'tasks', routes: taskRoutes };
}
