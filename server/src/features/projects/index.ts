import type { Feature } from '../../platform/feature.ts';
import { projectExamples } from './examples.ts';
import { projectRoutes } from './routes.ts';
import type { InsertProject } from './service.ts';
import { deleteProjectTask } from './tasks.ts';

export type { InsertProject } from './service.ts';
export {
  guardProject,
  insertProject,
  type NewProject,
  type ProjectRow,
  RESOURCES,
  readProject,
  readProjectOwners,
} from './store.ts';

export function projects(deps: { readonly insertProject: InsertProject }): Feature {
  return {
    name: 'projects',
    areas: { Projects: 'A project holds resources; every account has a default one.' },
    nouns: { projects: 'Project' },
    examples: projectExamples,
    searched: [
      {
        kind: 'project',
        table: 'projects',
        idType: 'integer',
        project: 's.id',
        region: null,
        status: 's.state',
      },
    ],
    routes: projectRoutes(deps.insertProject),
    tasks: [deleteProjectTask],
    held: [{ table: 'projects', becomes: `state = 'ACTIVE'` }],
  };
}
