import { Type } from '@sinclair/typebox';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { EndTask, OperatorTask, OperatorTaskList, OperatorTaskQuery, RunOfTask } from './run-schema.ts';
import type { TaskRuns } from './runs.ts';
import { TaskQuery } from './schema.ts';

const task_id = Type.String();
const own = plainPath('Tasks', '/virga/v1/tasks/{task_id}', { task_id });
const all = plainPath('Operator', '/virga/v1/all_tasks');
const any = all.at('{task_id}', { task_id });

export const runRoutes = (runs: TaskRuns): readonly Route[] => [
  own.at('run').get({
    operationId: 'getRunOfTask',
    summary: 'Say how a task is worked on: since when, until when, and what it waits for',
    access: 'read',
    response: RunOfTask,
    handler: (ctx, { params }) => runs.get(ctx, params.task_id),
  }),
  own.at('cancel').post({
    operationId: 'cancelTask',
    summary: 'Cancel a task: what it has begun is undone, and it ends in ERROR',
    description: 'It is as if its deadline had passed. What it has locked is free when it has ended.',
    access: 'write',
    response: RunOfTask,
    handler: (ctx, { params }) => runs.cancel(ctx, params.task_id),
  }),
  all.get({
    operationId: 'listTasksOfAll',
    summary: 'List tasks of all clients that have not ended, oldest first, and how they are worked on',
    access: 'operate',
    query: OperatorTaskQuery,
    response: OperatorTaskList,
    handler: (ctx, { query }) => runs.list(ctx, query),
  }),
  any.get({
    operationId: 'getTaskOfAny',
    summary: 'Get a task of any client, and how it is worked on',
    description: 'With ?wait=60 the answer comes when the task has ended, or after so many seconds.',
    access: 'operate',
    query: TaskQuery,
    response: OperatorTask,
    handler: (ctx, { params, query }) => runs.getOfAny(ctx, params.task_id, query.wait),
  }),
  any.at('cancel').post({
    operationId: 'cancelTaskOfAny',
    summary: 'Cancel a task of any client: what it has begun is undone, and it ends in ERROR',
    access: 'operate',
    response: RunOfTask,
    handler: (ctx, { params }) => runs.cancel(ctx, params.task_id),
  }),
  any.at('end').post({
    operationId: 'endTaskOfAny',
    summary: 'End a task at once, and free what it has locked; nothing is undone',
    description:
      'For one whose undoing hangs. What it had begun stays as it is, and may be neither as before nor as asked for: ' +
      'look at it afterwards.',
    access: 'operate',
    body: EndTask,
    response: RunOfTask,
    handler: (ctx, { params, body }) => runs.end(ctx, params.task_id, body.reason),
  }),
];
