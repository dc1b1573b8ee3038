import { api } from '../../api/client.ts';
import { type Place, pathParams } from '../../app/place.ts';

/** What the overview asks for. All of it can be asked at once, before anything else has been answered. */

const balancersOf = (place: Place, query: object) =>
  api.queryOptions('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}', {
    params: { path: pathParams(place), query },
  });

const tasksOf = ({ project, region }: Place, query: object) =>
  api.queryOptions('get', '/cloud/v1/tasks', {
    params: { query: { project_id: [project], region_id: [region], ...query } },
  });

const SICK_SHOWN = 5;

/** How many load balancers there are, and the degraded ones, which stand first in this order. */
export const balancersQuery = (place: Place) =>
  balancersOf(place, { order_by: 'operating_status.asc', limit: SICK_SHOWN });

export const deadBalancersQuery = (place: Place) =>
  balancersOf(place, { operating_status: 'ERROR', limit: SICK_SHOWN });

export const recentTasksQuery = (place: Place) => tasksOf(place, { limit: 8 });

/** Tasks that failed and that nobody has seen. */
export const failedTasksQuery = (place: Place) =>
  tasksOf(place, { state: ['ERROR'], is_acknowledged: false, limit: SICK_SHOWN });

export const overviewQueries = (place: Place) => [
  balancersQuery(place),
  deadBalancersQuery(place),
  recentTasksQuery(place),
  failedTasksQuery(place),
];
