import { api, queryClient } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';

/** What the overview asks for. All of it can be asked at once, before anything else has been answered. */

/** How many load balancers there are. */
export const balancersQuery = (scope: Scope) =>
  api.queryOptions('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}', {
    params: { path: pathParams(scope), query: { limit: 1 } },
  });

/** What of the project somebody should look at, in all regions. */
export const attentionQuery = ({ project }: Scope) =>
  api.queryOptions('get', '/virga/v1/attention/{project_id}', { params: { path: { project_id: project } } });

/** What the project has in all regions, as a picture. */
export const mapQuery = ({ project }: Scope) =>
  api.queryOptions('get', '/virga/v1/map/{project_id}', { params: { path: { project_id: project } } });

export const recentTasksQuery = ({ project, region }: Scope) =>
  api.queryOptions('get', '/cloud/v1/tasks', {
    params: { query: { project_id: [project], region_id: [region], limit: 8 } },
  });

/** Asks for all of it at once. */
export function askOverview(scope: Scope): void {
  void queryClient.prefetchQuery(balancersQuery(scope));
  void queryClient.prefetchQuery(attentionQuery(scope));
  void queryClient.prefetchQuery(mapQuery(scope));
  void queryClient.prefetchQuery(recentTasksQuery(scope));
}
