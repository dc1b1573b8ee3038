import { type Static, Type } from '@sinclair/typebox';
import {
  DateTime,
  Defaulted,
  Key,
  ListOf,
  ListQuery,
  Nullable,
  StringEnum,
  TaskTime,
} from '../../platform/http/schemas.ts';
import { CREATED_KINDS } from '../../platform/tasks/created-resources.ts';

export const TASK_STATES = ['ERROR', 'FINISHED', 'NEW', 'RUNNING'] as const;
const DETAILED_STATES = [
  'CLUSTER_CLEAN_UP',
  'CLUSTER_REBUILD',
  'CLUSTER_RESIZE',
  'CLUSTER_RESUME',
  'CLUSTER_SERVER_REBUILD',
  'CLUSTER_SUSPEND',
  'ERROR',
  'FINISHED',
  'IPU_SERVERS',
  'NETWORK',
  'POPLAR_SERVERS',
  'POST_DEPLOY_SETUP',
  'VIPU_CONTROLLER',
] as const;

const NUMBERED = new Set(['ddos_profiles', 'projects']);
const CreatedResources = Type.Unsafe<Record<string, (string | number)[]>>(
  Type.Object(
    Object.fromEntries(
      CREATED_KINDS.map((kind) => [
        kind,
        NUMBERED.has(kind) ? Type.Array(Type.Integer()) : Type.Array(Type.String()),
      ]),
    ),
    { $id: 'CreatedResources' },
  ),
);

const time = () => Nullable(TaskTime());
const number = () => Nullable(Type.Integer(), { default: null });

const Named = {
  type: Type.String({ description: 'What it is, in the words of user actions: loadbalancer, lblistener' }),
  id: Type.String(),
};
const Parent = Nullable(Type.Object({ ...Named, name: Type.String() }), {
  description: 'What it is part of: the load balancer of a listener',
});

export const TaskSubject = Type.Object(
  { ...Named, name: Nullable(Type.String({ description: 'null: it has none' })), parent: Parent },
  { $id: 'TaskSubject' },
);
export type TaskSubject = Static<typeof TaskSubject>;

export const TaskLockList = ListOf(TaskSubject, 'TaskLockList');
export const TaskLocksQuery = ListQuery({}, 100);
export type TaskLocksQuery = Static<typeof TaskLocksQuery>;

export const Task = Type.Object(
  {
    id: Type.String(),
    task_type: Type.String(),
    state: StringEnum(TASK_STATES),
    detailed_state: Nullable(StringEnum(DETAILED_STATES), { default: null }),
    error: Nullable(Type.String(), { default: null }),
    created_on: time(),
    updated_on: time(),
    finished_on: time(),
    acknowledged_at: time(),
    acknowledged_by: number(),
    created_resources: Nullable(CreatedResources, { default: null }),
    data: Type.Unknown({
      description:
        'Ids of what it is about, such as network_id, and of what that is part of; resource_id in each',
    }),
    client_id: number(),
    project_id: number(),
    region_id: number(),
    user_id: Type.Integer(),
    user_client_id: number(),
    request_id: Nullable(Type.String(), { default: null }),
    job_id: Nullable(Type.String(), { default: null }),
    schedule_id: Nullable(Type.String(), { default: null }),
    lifecycle_policy_id: number(),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent of the work that is done' }),
    step: Nullable(Type.String({ description: 'What is being done now' })),
    subject: Nullable(TaskSubject, { description: 'The resource that it is about' }),
  },
  { $id: 'Task' },
);
export type Task = Static<typeof Task>;

export const TaskList = ListOf(Task, 'TaskList');

export const TaskListQuery = ListQuery({
  project_id: Type.Optional(Type.Array(Key())),
  region_id: Type.Optional(Type.Array(Key())),
  state: Type.Optional(Type.Array(StringEnum(TASK_STATES))),
  task_type: Type.Optional(Type.String()),
  is_acknowledged: Type.Optional(Type.Boolean()),
  from_timestamp: Type.Optional(DateTime()),
  to_timestamp: Type.Optional(DateTime()),
  order_by: Defaulted(StringEnum(['asc', 'desc'], { default: 'desc' })),
  sorting: Type.Optional(
    StringEnum(['asc', 'desc'], {
      deprecated: true,
      description: 'What older clients call order_by; it wins.',
    }),
  ),
});
export type TaskListQuery = Static<typeof TaskListQuery>;
/** What the list is narrowed by. */
export type TaskFilter = Omit<TaskListQuery, 'limit' | 'offset' | 'order_by' | 'sorting'>;

export const TaskQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      description:
        'Seconds to wait for the end of the task before answering; 0: answer at once. Default: until the task is 0.25 s old, so that the first look at a short task sees its end',
    }),
  ),
});

export const TaskStreamQuery = Type.Object({
  changes: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the stream also carries what changes without a task, as events named change',
    }),
  ),
  project_id: Type.Optional(Type.Array(Key())),
  region_id: Type.Optional(Type.Array(Key())),
  state: Type.Optional(Type.Array(StringEnum(TASK_STATES))),
});
export type TaskStreamQuery = Static<typeof TaskStreamQuery>;

export const ActiveTasksQuery = ListQuery({ task_type: Type.Optional(Type.Array(Type.String())) }, 10);
export type ActiveTasksQuery = Static<typeof ActiveTasksQuery>;

export const AcknowledgeAllQuery = Type.Object({
  project_id: Type.Optional(Key()),
  region_id: Type.Optional(Key()),
});
export type AcknowledgeAllQuery = Static<typeof AcknowledgeAllQuery>;

export const AcknowledgeTasksQuery = Type.Object({
  project_id: Type.Optional(Nullable(Key(), { default: null })),
  region_id: Type.Optional(Nullable(Key(), { default: null })),
});
export type AcknowledgeTasksQuery = Static<typeof AcknowledgeTasksQuery>;

const MOST_TASKS = 1000;
export const AcknowledgeTasks = Type.Object(
  {
    task_ids: Type.Optional(
      Nullable(Type.Array(Type.String(), { maxItems: MOST_TASKS }), {
        default: null,
        description: 'null: all that have ended',
      }),
    ),
  },
  { $id: 'AcknowledgeTasks', default: {} },
);
