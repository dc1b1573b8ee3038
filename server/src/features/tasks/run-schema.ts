import { type Static, Type } from '@sinclair/typebox';
import { Key, ListOf, ListQuery, Nullable, OffsetTime, StringEnum } from '../../platform/http/schemas.ts';
import { Task } from './schema.ts';

/** How a task is worked on. */

const PHASES = ['waiting', 'running', 'pausing', 'lost', 'ended'] as const;

export const RunOfTask = Type.Object(
  {
    task_id: Type.String(),
    phase: StringEnum(PHASES, {
      description:
        'waiting for a worker; running; pausing until `runs_again_at`; lost: its worker has died, and another one ' +
        'takes over; ended',
    }),
    since: OffsetTime({ description: 'When it was heard of last' }),
    is_undone: Type.Boolean({
      description: 'Whether what it has begun is being undone, for the reason in `failure`',
    }),
    failure: Nullable(Type.String({ description: 'Why it will end in ERROR; null: it will not' })),
    attempts: Type.Integer({ description: 'How often a worker has taken it up' }),
    retries: Type.Integer({ description: 'Attempts in a row that failed for the time being' }),
    runs_again_at: Nullable(OffsetTime(), { description: 'null: now, or it has ended' }),
    deadline_at: OffsetTime({ description: 'When it is undone unless it has ended' }),
    node: Nullable(Type.String(), {
      description: 'The process that has it or had it last; null: none had, or you are no operator',
    }),
  },
  { $id: 'RunOfTask' },
);
export type RunOfTask = Static<typeof RunOfTask>;

export const OperatorTask = Type.Object(
  {
    task: Type.Object(Task.properties, { description: 'The task, as its client sees it' }),
    run: Type.Object(RunOfTask.properties, { description: 'How it is worked on' }),
  },
  { $id: 'OperatorTask' },
);
export const OperatorTaskList = ListOf(OperatorTask, 'OperatorTaskList');

export const OperatorTaskQuery = ListQuery(
  {
    client_id: Type.Optional(Key({ description: 'Only those of this client' })),
    region_id: Type.Optional(Key({ description: 'Only those in this region' })),
    phase: Type.Optional(StringEnum(PHASES, { description: 'Default: all that have not ended' })),
  },
  100,
);
export type OperatorTaskQuery = Static<typeof OperatorTaskQuery>;

export const EndTask = Type.Object(
  {
    reason: Type.String({
      minLength: 3,
      maxLength: 500,
      description: 'The error of the task, which its client reads',
    }),
  },
  { $id: 'EndTask' },
);
