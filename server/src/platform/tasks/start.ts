import type { Tx } from '../database/db.ts';
import type { RequestContext } from '../http/context.ts';

/** Name of the one job that graphile-worker runs for us. Of a region that has an owner it is `run_task:<region id>`:
 *  only its owner takes those. */
export const RUN_TASK = 'run_task';

/** SQL for the name of the job of a task.
 *  @param name placeholder of RUN_TASK
 *  @param region SQL for the id of the task's region, or null */
export const identifierOf = (name: string, region: string): string =>
  `${name}::text || coalesce((select ':' || o.region_id from region_owners o where o.region_id = ${region}), '')`;

/** What the queue's `add_job` does for a job with a new key, without the statements for all other cases: measured,
 *  half of the work of starting a task. The queue's version is pinned; its own tests and ours would notice. */
const NEW_JOB = `
       insert into graphile_worker._private_jobs (task_id, payload, max_attempts, key)
       select kind.id, json_build_object('task', $1::text), 100, $1::text
         from graphile_worker._private_tasks kind where kind.identifier = ${identifierOf('$14', '$4::int')}
       on conflict (key) do nothing returning 1`;
const ANY_JOB = `select 1 from graphile_worker.add_job(${identifierOf('$2', '$3::int')}, json_build_object('task', $1::text), job_key := $1::text,
  max_attempts := 100)`;

export interface NewTask {
  readonly type: string;
  readonly subject: string | number;
  readonly name: string;
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

/** What a write that changes nothing answers. */
export const NO_TASK: TaskRef = { tasks: [] };

/** Records a task, its audit entry and the job that runs it, in the caller's transaction.
 *  @returns what the wire answers: `{tasks: [id]}` */
export async function startTask(tx: Tx, ctx: RequestContext, task: NewTask): Promise<TaskRef> {
  const id = task.id ?? ctx.ids.uuid();
  const { caller } = ctx;
  const createdAt = ctx.clock.timestamp();
  const jobs = await tx.named(
    'task_start',
    `with task as (
       insert into tasks (id, client_id, project_id, region_id, user_id, type, subject_id, subject_name, input, data,
                          request_id, created_at, updated_at)
       values ($1::uuid, $2::int, $3::int, $4::int, $5::int, $6::text, $7::text, $8::text, $9::jsonb, $10::jsonb,
               $11::text, $12::timestamptz, $12::timestamptz)
     ), audit as (
       insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id)
       values ($12, $2, $5, $13::int, $11, $6, $7, $3, $4)
     ), job as (${NEW_JOB}
     )
     select 1 from job`,
    [
      id,
      task.clientId ?? caller.clientId,
      task.projectId,
      task.regionId,
      caller.userId,
      task.type,
      String(task.subject),
      task.name,
      JSON.stringify(task.input ?? {}),
      task.data ? JSON.stringify(task.data) : null,
      ctx.requestId,
      createdAt,
      caller.tokenId,
      RUN_TASK,
    ],
  );
  // The first job of its kind, or one whose key is taken: for the queue itself to see to.
  if (jobs.length === 0) await tx.named('task_any_job', ANY_JOB, [id, RUN_TASK, task.regionId]);
  tx.afterCommit(() => ctx.db.notify('jobs:insert', '{"count":1}'));
  return { tasks: [id] };
}
