import { DELIVERIES, RECORDED, SHOWN_COLUMNS, shownOf } from '../audit/audit.ts';
import type { Tx } from '../database/db.ts';
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

/** $22: the lease in milliseconds, null: the task is not claimed. $23: the region's owner, null: it has none. $24: the process
 *  that claims it. */
const START = `
  with claim as (
    select coalesce($22::float8 > 0 and case
             when $23::uuid is null then not exists (select from region_owners where region_id = $4::int)
             else exists (select from region_owners where region_id = $4::int and holder = $23::uuid) end, false) as claimed
  ), task as (
    insert into tasks_active (id, client_id, project_id, region_id, user_id, type, subject_id, subject_name, input,
                              data, request_id, trace, created_at, updated_at, parent_id, parent_name, state, attempt,
                              lease_until, node)
    select $1::uuid, $2::int, $3::int, $4::int, $5::int, $6::text, $7::text, $8::text, $9::jsonb, $10::jsonb,
           $11::text, $19::text, $12::timestamptz, $12::timestamptz, $20::text, $21::text,
           case when claimed then 'RUNNING' else 'NEW' end, claimed::int,
           case when claimed then now() + $22::float8 * interval '1 millisecond' end,
           case when claimed then $24::text end
      from claim
  ), recorded as (
    insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id,
           subject_name, started_task_id, ${SHOWN_COLUMNS})
    values ($12, $2, $5, $13::int, $11, $6, $7, $3, $4, $8, $1, $14, $15, $16, $17, $18) ${RECORDED}
  ), delivered as (${DELIVERIES})
  select claimed from claim`;

/** Records a task and its audit entry in the caller's transaction. This node's worker claims it at once, if it has
 *  room; else workers find it due.
 *  @returns what the wire answers: `{tasks: [id]}` */
export async function startTask(tx: Tx, ctx: TaskContext, task: NewTask): Promise<TaskRef> {
  const id = task.id ?? ctx.ids.uuid();
  const { caller } = ctx;
  const room = ctx.atOnce?.room(task.regionId);
  const timestamp = ctx.clock.timestamp();
  const input = JSON.stringify(task.input ?? {});
  const [row] = await tx.named<{ claimed: boolean }>('task_start', START, [
    id,
    task.clientId ?? caller.clientId,
    task.projectId,
    task.regionId,
    caller.userId,
    task.type,
    String(task.subject),
    task.name,
    input,
    task.data ? JSON.stringify(task.data) : null,
    ctx.requestId,
    timestamp,
    caller.tokenId,
    ...shownOf(ctx, task.type),
    ctx.trace ?? null,
    task.parent?.id ?? null,
    task.parent?.name ?? null,
    room?.leaseMs ?? null,
    room?.owner ?? null,
    room?.node ?? null,
  ]);
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
  return { type, ...about, ...ctx.place, clientId: ctx.project.clientId, ...more };
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
  await tx.named(
    'task_start_nothing',
    `insert into tasks (id, client_id, project_id, region_id, user_id, type, state, progress, subject_id, subject_name,
                        created_resources, request_id, created_at, updated_at, finished_at, parent_id, parent_name,
                        data)
     values ($1, $2, $3, $4, $5, $6, 'FINISHED', 100, $7, $8, $9, $10, $11, $11, $11, $12, $13, $14::jsonb)`,
    [
      id,
      task.clientId ?? ctx.caller.clientId,
      task.projectId,
      task.regionId,
      ctx.caller.userId,
      task.type,
      String(task.subject),
      task.name,
      JSON.stringify(created),
      ctx.requestId,
      ctx.clock.timestamp(),
      task.parent?.id ?? null,
      task.parent?.name ?? null,
      task.data ? JSON.stringify(task.data) : null,
    ],
  );
  return { tasks: [id] };
}
