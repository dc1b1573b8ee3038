import type { Feature } from '../../platform/feature.ts';
import type { InsertProject } from '../projects/index.ts';
import { type DeletionDeps, deleteClientTask } from './deletion.ts';
import { clientExamples } from './examples.ts';
import { clientRoutes } from './routes.ts';

export interface ClientsDeps extends DeletionDeps {
  readonly insertProject: InsertProject;
}

export function clients({ insertProject, ...deps }: ClientsDeps): Feature {
  return {
    name: 'clients',
    nouns: { clients: 'Client', resources: 'Resource' },
    examples: clientExamples,
    routes: clientRoutes(insertProject),
    tasks: [deleteClientTask(deps)],
    held: [{ table: 'clients', becomes: '' }],
  };
}
