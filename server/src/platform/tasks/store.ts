import type { Db, Tx } from '../database/db.ts';
import type { Created } from './created-resources.ts';
import { allKinds } from './created-resources.ts';
import { identifierOf, RUN_TASK } from './start.ts';

/** The name of the jobs that only the owner of a region takes. */
export const ownersJob = (regionId: number): string => `${RUN_TASK}:${regionId}`;

/** SQL of the engine. Every write of a run names its attempt: a run that was overtaken writes nothing. */

export interface ClaimedTask {
  readonly id: string;
  readonly type: string;
  readonly client_id: number;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly user_id: number;
  readonly subject_id: string;
  readonly subject_name: string;
  readonly input: unknown;
  readonly failure: string | null;
  readonly attempt: number;
  readonly retries: number;
  readonly created_at: Date;
  readonly request_id: string | null;
}

/** Marks tasks RUNNING and makes this run of each the one that may write. Those that have already ended are left
 *  out. */
export async function claim(db: Db, ids: readonly string[], timestamp: string): Promise<ClaimedTask[]> {
  return db.named<ClaimedTask>(
    'task_claim',
    `update tasks set state = 'RUNNING', attempt = attempt + 1, updated_at = $2
      where id = any($1::uuid[]) and state in ('NEW', 'RUNNING')
      returning id, type, client_id, project_id, region_id, user_id, subject_id, subject_name, input, failure,
                attempt, retries, created_at, request_id`,
    [ids, timestamp],
  );
}

interface Ending {
  readonly id: string;
  readonly attempt: number;
  readonly timestamp: string;
}

/** @returns false when another run has taken over; then the caller must roll back */
export async function finish(tx: Tx, { id, attempt, timestamp }: Ending, created: Created): Promise<boolean> {
  const rows = await tx.named(
    'task_finish',
    `update tasks set state = 'FINISHED', progress = 100, step = null, created_resources = $4,
            updated_at = $3, finished_at = $3
      where id = $1 and attempt = $2 and state = 'RUNNING' returning 1`,
    [id, attempt, timestamp, JSON.stringify(allKinds(created))],
  );
  return rows.length === 1;
}

export async function fail(tx: Tx, { id, attempt, timestamp }: Ending): Promise<boolean> {
  const rows = await tx.named(
    'task_fail',
    `update tasks set state = 'ERROR', error = failure, created_resources = null, step = null,
            updated_at = $3, finished_at = $3
      where id = $1 and attempt = $2 and state = 'RUNNING' returning 1`,
    [id, attempt, timestamp],
  );
  return rows.length === 1;
}

export interface Reschedule extends Ending {
  readonly delayMs: number;
  readonly percent?: number | undefined;
  readonly step?: string | undefined;
  /** From now on the task is undone instead of run, and ends in ERROR with this reason. */
  readonly failure?: string;
  /** Transient errors in a row. */
  readonly retries: number;
}

/** Notes where the run stands and orders the next one; does nothing for a run that was overtaken. */
export async function reschedule(db: Db, next: Reschedule): Promise<void> {
  await db.named(
    'task_reschedule',
    `with task as (
       update tasks set updated_at = $3, progress = greatest(progress, coalesce($4::smallint, progress)),
              step = coalesce($5::text, step), failure = coalesce(failure, $6::text), retries = $8::int
        where id = $1::uuid and attempt = $2::int and state = 'RUNNING' returning id, region_id)
     select graphile_worker.add_job(${identifierOf('$9', 'task.region_id')}, json_build_object('task', task.id::text), job_key := task.id::text,
              max_attempts := 100, run_at := now() + $7::float8 * interval '1 millisecond') is not null from task`,
    [
      next.id,
      next.attempt,
      next.timestamp,
      next.percent === undefined ? null : Math.min(99, Math.max(0, Math.round(next.percent))),
      next.step ?? null,
      next.failure ?? null,
      next.delayMs,
      next.retries,
      RUN_TASK,
    ],
  );
}

/** Orders a run for every unfinished task that no job stands for (its job was lost with a dead worker). */
export async function requeueOrphans(db: Db): Promise<number> {
  const rows = await db.named(
    'task_requeue_orphans',
    `select graphile_worker.add_job(${identifierOf('$1', 't.region_id')}, json_build_object('task', t.id::text),
              job_key := t.id::text, max_attempts := 100) is not null
       from tasks t
      where t.state in ('NEW', 'RUNNING') and t.updated_at < now() - interval '2 seconds'
        and not exists (select 1 from graphile_worker.jobs j where j.key = t.id::text)`,
    [RUN_TASK],
  );
  return rows.length;
}

/** Runs soon what the queue itself failed to do, since the database was away: its own pauses grow to hours, while
 *  those between the attempts of a task are the engine's business. */
export async function hurryFailedJobs(db: Db): Promise<void> {
  await db.named(
    'task_hurry_failed_jobs',
    `select graphile_worker.reschedule_jobs(array_agg(id), now(), attempts := 0) from graphile_worker.jobs
      where split_part(task_identifier, ':', 1) = $1 and locked_at is null and last_error is not null
        and updated_at < now() - interval '1 second' and run_at > now() + interval '1 second'
     having count(*) > 0`,
    [RUN_TASK],
  );
}

/** Removes what the queue keeps of jobs that were replaced while their worker died: they never run again. */
export async function dropDeadJobs(db: Db): Promise<void> {
  await db.named(
    'task_drop_dead_jobs',
    `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs
      where split_part(task_identifier, ':', 1) = $1 and key is null and locked_at is null and attempts >= max_attempts
     having count(*) > 0`,
    [RUN_TASK],
  );
}
