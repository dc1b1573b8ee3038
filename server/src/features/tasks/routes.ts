import { Type } from '@sinclair/typebox';
import { recordLook } from '../../platform/audit/audit.ts';
import { clientPath, plainPath, regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import { type TaskReads, WAITS } from './reads.ts';
import {
  AcknowledgeAllQuery,
  AcknowledgeTasks,
  AcknowledgeTasksQuery,
  ActiveTasksQuery,
  Task,
  TaskList,
  TaskListQuery,
  TaskLockList,
  TaskLocksQuery,
  TaskQuery,
  TaskStreamQuery,
} from './schema.ts';
import { acknowledgeAllTasks, acknowledgeTask, listActiveTasks, listTasks } from './service.ts';
import { STREAMS, type Streams, streamTasks } from './stream.ts';

const tag = 'Tasks';
const task_id = Type.String();
const all = plainPath(tag, '/cloud/v1/tasks');
const one = all.at('{task_id}', { task_id });

export function taskRoutes(reads: TaskReads, streams: Streams): readonly Route[] {
  return [
    all.get({
      summary: 'List tasks',
      access: 'read',
      query: TaskListQuery,
      response: TaskList,
      handler: (ctx, { query }) => listTasks(ctx, ctx.caller.clientId, query),
    }),
    clientPath('Operator', '/virga/v1/clients/{client_id}/tasks', { client_id: Key() }).get({
      operationId: 'listTasksOfClient',
      summary: 'List the tasks of a client',
      access: 'operate',
      query: TaskListQuery,
      response: TaskList,
      handler: async (ctx, { query }) => {
        await recordLook(ctx, 'tasks');
        return listTasks(ctx, ctx.clientId, query);
      },
    }),
    regionPath(tag, '/cloud/v1/tasks/{project_id}/{region_id}/active').get({
      operationId: 'listActiveTasks',
      summary: 'List tasks that have not ended',
      query: ActiveTasksQuery,
      response: TaskList,
      handler: (ctx, { query }) => listActiveTasks(ctx, query),
    }),
    one.get({
      summary: 'Get a task',
      description: `With ?wait=60 the answer comes when the task has ended, or after so many seconds. A token has at most ${WAITS.perCaller} such calls open on a node, and all tokens together ${WAITS.inAll}; another one is answered 429.`,
      access: 'read',
      query: TaskQuery,
      response: Task,
      handler: (ctx, { params, query }) => reads.await(ctx, params.task_id, query.wait),
    }),
    plainPath(tag, '/virga/v1/tasks/{task_id}/locks', { task_id }).get({
      operationId: 'listTaskLocks',
      summary: 'List what a task has locked',
      description:
        'The resources that wait for this task: until it ends, other changes of them are answered 409 with its id. A task that has ended has locked nothing.',
      access: 'read',
      query: TaskLocksQuery,
      response: TaskLockList,
      handler: (ctx, { params, query }) => reads.locks(ctx, params.task_id, query),
    }),
    all.at('stream').get({
      operationId: 'streamTasks',
      summary: 'Follow tasks as server-sent events',
      description: `Each event is named task and carries a task; Last-Event-ID resumes where a stream broke off. When that is not possible, since the database was restored or replaced, the first event is named reset: list the tasks again. With changes=true, events named change say what else has changed: action is a word of the audit log, or health or counters of the resource that noun and id name, or unknown where some may have been missed; they have no id and are not resumed. A token has at most ${STREAMS.perCaller} streams open on a node, and all tokens together ${STREAMS.inAll}; another one is answered 429.`,
      access: 'read',
      query: TaskStreamQuery,
      response: Type.String({ description: 'Events, until the caller closes the connection' }),
      produces: 'text/event-stream',
      handler: (ctx, { query, headers }) => {
        const last = headers['last-event-id'];
        return streamTasks(ctx, query, last === undefined ? undefined : String(last), streams);
      },
    }),
    one.at('acknowledge').post({
      summary: 'Acknowledge a task',
      access: 'write',
      response: Task,
      handler: (ctx, { params }) => acknowledgeTask(ctx, params.task_id),
    }),
    all.at('acknowledge_all').post({
      operationId: 'acknowledgeAllTasks',
      summary: 'Acknowledge all ended tasks',
      access: 'write',
      query: AcknowledgeAllQuery,
      status: 204,
      handler: (ctx, { query }) => acknowledgeAllTasks(ctx, query),
    }),
    all.at('acknowledge').post({
      operationId: 'acknowledgeTasksV1',
      summary: 'Acknowledge these tasks, or all ended ones',
      deprecated: true,
      access: 'write',
      query: AcknowledgeTasksQuery,
      body: AcknowledgeTasks,
      status: 204,
      handler: (ctx, { query, body }) => acknowledgeAllTasks(ctx, query, body.task_ids ?? undefined),
    }),
  ];
}
