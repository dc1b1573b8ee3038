import { Type } from '@sinclair/typebox';
import { type Route, regionRoute, route } from '../../platform/http/route.ts';
import { RegionParams } from '../../platform/http/schemas.ts';
import { AcknowledgeAllQuery, ActiveTasksQuery, Task, TaskList, TaskListQuery } from './schema.ts';
import { acknowledgeAllTasks, acknowledgeTask, getTask, listActiveTasks, listTasks } from './service.ts';

const tag = 'Tasks';
const TaskParams = Type.Object({ task_id: Type.String() });

export const taskRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/cloud/v1/tasks',
    tag,
    summary: 'List tasks',
    access: 'read',
    query: TaskListQuery,
    response: TaskList,
    handler: (ctx, { query }) => listTasks(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: '/cloud/v1/tasks/{project_id}/{region_id}/active',
    tag,
    summary: 'List tasks that have not ended',
    access: 'read',
    params: RegionParams,
    query: ActiveTasksQuery,
    response: TaskList,
    handler: (ctx, { query }) => listActiveTasks(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/cloud/v1/tasks/{task_id}',
    tag,
    summary: 'Get a task',
    access: 'read',
    params: TaskParams,
    response: Task,
    handler: (ctx, { params }) => getTask(ctx, params.task_id),
  }),
  route({
    method: 'POST',
    path: '/cloud/v1/tasks/{task_id}/acknowledge',
    tag,
    summary: 'Acknowledge a task',
    access: 'write',
    params: TaskParams,
    response: Task,
    handler: (ctx, { params }) => acknowledgeTask(ctx, params.task_id),
  }),
  route({
    method: 'POST',
    path: '/cloud/v1/tasks/acknowledge_all',
    tag,
    summary: 'Acknowledge all ended tasks',
    access: 'write',
    query: AcknowledgeAllQuery,
    status: 204,
    handler: (ctx, { query }) => acknowledgeAllTasks(ctx, query),
  }),
];
