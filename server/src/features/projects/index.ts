import type { Feature } from '../../platform/feature.ts';
import { projectRoutes } from './routes.ts';
import { deleteProjectTask } from './tasks.ts';

export { guardProject, insertProject, readProject, readProjectOwners } from './store.ts';

export function projects(): Feature {
  return {
    name: 'projects',
    routes: projectRoutes,
    tasks: [deleteProjectTask],
    held: [{ table: 'projects', becomes: `state = 'ACTIVE'` }],
  };
}
