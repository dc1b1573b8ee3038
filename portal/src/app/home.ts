import { api, queryClient } from '../api/client.ts';
import { pathIn, type Scope } from '../api/scope.ts';
import { lastScope, rememberScope } from './scope.ts';

/** Where the portal opens. */
export const homePath = async (): Promise<string> => pathIn(await homeScope());

/** Pages that belong to no project show one in their pickers all the same. */
export async function ensureScope(): Promise<void> {
  if (!lastScope()) rememberScope(await homeScope());
}

/** The place of last time if it is still there, else the first project and region. */
async function homeScope(): Promise<Scope> {
  const [projects, regions] = await Promise.all([
    queryClient.ensureQueryData(projectsQuery()),
    queryClient.ensureQueryData(regionsQuery()),
  ]);
  const last = lastScope();
  const known =
    last &&
    projects.results.some(({ id }) => id === last.project) &&
    regions.results.some(({ id }) => id === last.region);
  const project = projects.results.find(({ is_default }) => is_default) ?? projects.results[0];
  // The list has the newest first, which of a new cloud is the simulated one: servers put into it would never die.
  const oldest = regions.results.toSorted((a, b) => a.id - b.id);
  const region = oldest.find(({ state }) => state === 'ACTIVE') ?? oldest[0];
  return known ? last : { project: project?.id ?? 0, region: region?.id ?? 0 };
}

export const projectsQuery = () => api.queryOptions('get', '/cloud/v1/projects');
export const regionsQuery = () => api.queryOptions('get', '/cloud/v1/regions');
