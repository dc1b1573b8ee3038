import type { ProjectContext } from '../../platform/http/context.ts';
import { projectPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { type MapNode, type MapSource, MOST_OF_KIND } from '../../platform/map/source.ts';
import { readRegions } from '../regions/index.ts';
import { ProjectMap } from './schema.ts';

async function readMap({ db, project }: ProjectContext, sources: readonly MapSource[]) {
  const ask = { clientId: project.clientId, projectId: project.id };
  const [regions, parts] = await Promise.all([
    readRegions(db),
    Promise.all(sources.map((source) => source(db, ask))),
  ]);
  const { shown, truncated } = firstOf(parts.flatMap(({ nodes }) => nodes));
  const ids = new Set(shown.map(({ id }) => id));
  return {
    regions: regions.map(({ id, display_name: name, provider }) => ({
      id,
      name,
      simulated: provider === 'simulated',
    })),
    nodes: shown.map(({ regionId: region_id, taskId: task_id, partOf: part_of = null, ...node }) => ({
      ...node,
      region_id,
      task_id,
      part_of,
    })),
    edges: parts.flatMap(({ edges }) => edges).filter(({ from, to }) => ids.has(from) && ids.has(to)),
    truncated,
  };
}

/** So many of each kind as are shown, and of which there are more. */
function firstOf(nodes: readonly MapNode[]) {
  const counts = new Map<string, number>();
  const shown = nodes.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= MOST_OF_KIND;
  });
  return { shown, truncated: [...counts].filter(([, count]) => count > MOST_OF_KIND).map(([kind]) => kind) };
}

export const mapRoutes = (sources: readonly MapSource[]): readonly Route[] => [
  projectPath('Map', '/virga/v1/map/{project_id}').get({
    operationId: 'getProjectMap',
    summary: 'Show what a project has in all regions, and how traffic goes between it',
    description: 'Object storages belong to the account, and are shown in each of its projects.',
    response: ProjectMap,
    handler: (ctx) => readMap(ctx, sources),
  }),
];
