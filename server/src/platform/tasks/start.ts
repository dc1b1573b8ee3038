import { DELIVERIES, RECORDED, SHOWN_COLUMNS, shownOf } from '../audit/audit.ts';
import type { Tx } from '../database/db.ts';
import { insertionOf } from '../database/new-rows.ts';
import { sql } from '../database/sql.ts';
import type { RegionTaskContext, TaskContext } from '../http/context.ts';
import type { Created } from './created-resources.ts';
import { type ClaimedTask, TASK_DUE } from './queue.ts';

/** What a task is about. */
export interface Subject {
  readonly id: string;
  /** Absent: it is called as its id. */
  readonly name?: string;
  /** What it is part of, where people look for it: the load balancer of a listener. */
  readonly parent?: { readonly id: string; readonly name: string };
}

export interface NewTask {
  readonly type: string;
  readonly subject: string | number;
  readonly name: string;
  readonly parent?: Subject['parent'];
  readonly projectId: number | null;
  readonly regionId: number | null;
  readonly clientId?: number;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Shown to the user as the task's `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Given when the task's id had to be known earlier. */
  readonly id?: string;
}

export interface TaskRef {
  readonly tasks: readonly string[];
}

/** Records a task and its audit entry in the caller's transaction. This node's worker claims it at once, if it has
 *  room; else workers find it due.
 *  @returns what the wire answers: `{tasks: [id]}` */
export async function startTask(tx: Tx, ctx: TaskContext, task: NewTask): Promise<TaskRef> {
  const id = task.id ?? ctx.ids.uuid();
  const { caller } = ctx;
  const room = ctx.atOnce?.room(task.regionId);
  const timestamp = ctx.clock.timestamp();
  const input = JSON.stringify(task.input ?? {});
  const clientId = task.clientId ?? caller.clientId;
  const [region, subject] = [sql`${task.regionId}::int`, String(task.subject)];
  const owner = sql`${room?.owner ?? null}::uuid`;
  const lease = sql`${room?.leaseMs ?? null}::float8`;
  const row = await tx.row<{ claimed: boolean }>(sql`
    with claim as (
      select coalesce(${lease} > 0 and case
               when ${owner} is null then not exists (select from region_owners where region_id = ${region})
               else exists (select from region_owners where region_id = ${region} and holder = ${owner}) end, false)
             as claimed
    ), task as (
      insert into tasks_active (id, client_id, project_id, region_id, user_id, type, subject_id, subject_name, input,
                                data, request_id, trace, created_at, updated_at, parent_id, parent_name, state, attempt,
                                lease_until, node)
      select ${id}::uuid, ${clientId}::int, ${task.projectId}::int, ${region}, ${caller.userId}::int, ${task.type}::text,
             ${subject}::text, ${task.name}::text, ${input}::jsonb,
             ${task.data ? JSON.stringify(task.data) : null}::jsonb, ${ctx.requestId}::text, ${ctx.trace ?? null}::text,
             ${timestamp}::timestamptz, ${timestamp}::timestamptz, ${task.parent?.id ?? null}::text,
             ${task.parent?.name ?? null}::text, case when claimed then 'RUNNING' else 'NEW' end, claimed::int,
             case when claimed then now() + ${lease} * interval '1 millisecond' end,
             case when claimed then ${room?.node ?? null}::text end
        from claim
    ), recorded as (
      insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id,
             subject_name, started_task_id, ${SHOWN_COLUMNS})
      values (${timestamp}, ${clientId}, ${caller.userId}, ${caller.tokenId}, ${ctx.requestId}, ${task.type},
              ${subject}, ${task.projectId}, ${task.regionId}, ${task.name}, ${id}, ${shownOf(ctx, task.type)})
      ${RECORDED}
    ), delivered as (${DELIVERIES})
    select claimed from claim`);
  const claimed = row?.claimed && claimedTask(ctx, { ...task, id }, { timestamp, input });
  tx.afterCommit(() => {
    if (claimed) ctx.atOnce?.begin(claimed);
    else ctx.db.notify(TASK_DUE, String(task.regionId ?? ''));
  });
  return { tasks: [id] };
}

/** The task as the worker would have read it. */
function claimedTask(
  ctx: TaskContext,
  task: NewTask & { readonly id: string },
  { timestamp, input }: { readonly timestamp: string; readonly input: string },
): ClaimedTask {
  return {
    id: task.id,
    type: task.type,
    client_id: task.clientId ?? ctx.caller.clientId,
    project_id: task.projectId,
    region_id: task.regionId,
    user_id: ctx.caller.userId,
    subject_id: String(task.subject),
    subject_name: task.name,
    input: JSON.parse(input),
    failure: null,
    attempt: 1,
    retries: 0,
    created_at: new Date(timestamp),
    request_id: ctx.requestId,
    trace: ctx.trace ?? null,
  };
}

/** What a task is about: a resource of the context's project and region, which is called as its id where it has no
 *  name. */
export function taskFor(
  ctx: RegionTaskContext,
  type: string,
  { id, name = id, parent }: Subject,
  more: Pick<NewTask, 'id' | 'input' | 'data'> = {},
): NewTask {
  const about = { subject: id, name, ...(parent ? { parent } : {}) };
  return { type, ...about, ...ctx.scope, clientId: ctx.project.clientId, ...more };
}

/** Records the task of a write on a resource of the context's region.
 *  @param more its id, where that had to be known earlier, and its input */
export const startFor = (
  tx: Tx,
  ctx: RegionTaskContext,
  type: string,
  subject: Subject,
  more: Pick<NewTask, 'id' | 'input' | 'data'> = {},
): Promise<TaskRef> => startTask(tx, ctx, taskFor(ctx, type, subject, more));

/** Records the task of a write that changes nothing: FINISHED at once, without a job. Clients wait for the first task
 *  of an answer, so that there is always one.
 *  @param created what it names as created; some clients look for what they changed there
 *  @returns what the wire answers: `{tasks: [id]}` */
export async function startNothing(
  tx: Tx,
  ctx: TaskContext,
  task: NewTask,
  created: Created = {},
): Promise<TaskRef> {
  const id = task.id ?? ctx.ids.uuid();
  const now = ctx.clock.timestamp();
  await tx.run(
    insertionOf('tasks', {
      id,
      client_id: task.clientId ?? ctx.caller.clientId,
      project_id: task.projectId,
      region_id: task.regionId,
      user_id: ctx.caller.userId,
      type: task.type,
      state: 'FINISHED',
      progress: 100,
      subject_id: String(task.subject),
      subject_name: task.name,
      created_resources: JSON.stringify(created),
      request_id: ctx.requestId,
      created_at: now,
      updated_at: now,
      finished_at: now,
      parent_id: task.parent?.id ?? null,
      parent_name: task.parent?.name ?? null,
      data: task.data ? JSON.stringify(task.data) : null,
    }),
  );
  return { tasks: [id] };
}
