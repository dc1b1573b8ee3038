import type { Transitions } from '../../kernel/transitions.ts';
import type { Db, Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { type Created, created } from './created-resources.ts';

/** SQL of the queue. A task is its own job: its row in `tasks` says all that there is to know, and a clock does the
 *  rest.
 *
 *  | state   | in the row                                              | who writes it next |
 *  |---------|---------------------------------------------------------|--------------------|
 *  | waiting | `finished_at` null; `run_at` and `lease_until` both past or null mean that it is due | any worker that may |
 *  | held    | RUNNING, `lease_until` in the future                    | the run with this `attempt` |
 *  | ended   | FINISHED or ERROR, `finished_at` set                    | nobody; only acknowledgements |
 *
 *  - start       → waiting: NEW, due at once; or → held, if this node's worker has room (`startTask`)
 *  - claim       waiting → held: RUNNING, `attempt` + 1, the lease written ahead
 *  - renew       held → held: one statement for all that a worker has
 *  - reschedule  held → waiting: due at `run_at`, without a lease
 *  - finish, fail  held → ended, in the transaction that writes the outcome
 *  - take over   held → waiting: the lease runs out. Nobody writes anything, so that a crash needs no clean-up.
 *
 *  Every write of a run names its attempt: a run that was overtaken writes nothing. Times of the queue are the
 *  database's, since the clocks of the nodes may differ. */

export type TaskState = 'NEW' | 'RUNNING' | 'FINISHED' | 'ERROR';

export const TASK_TRANSITIONS: Transitions<TaskState> = {
  NEW: ['RUNNING'],
  // To itself: claimed anew, by another worker or to be undone.
  RUNNING: ['RUNNING', 'FINISHED', 'ERROR'],
  FINISHED: [],
  ERROR: [],
};

/** A worker that has not renewed its leases for this long has lost them. */
export const LEASE_MS = 3000;

/** Channel on which workers are notified that a task is due in a region, whose id is sent; '': anywhere. */
export const TASK_DUE = 'virga_task_due';

export interface ClaimedTask {
  readonly id: string;
  readonly type: string;
  readonly client_id: number;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly user_id: number;
  readonly subject_id: string | null;
  readonly subject_name: string;
  readonly input: unknown;
  readonly failure: string | null;
  readonly attempt: number;
  readonly retries: number;
  readonly created_at: Date;
  readonly request_id: string | null;
  /** The span of the request that started it; null: it was not traced. */
  readonly trace: string | null;
}

/** The statement that makes a run of each task the one that may write.
 *  @param ids SQL for their ids, which it may have locked */
const claimOf = (
  ids: Sql,
  { leaseMs, timestamp, node }: Pick<Claim, 'leaseMs' | 'timestamp' | 'node'>,
) => sql`
  update tasks_active set state = 'RUNNING', attempt = attempt + 1, updated_at = ${timestamp}::timestamptz,
         lease_until = now() + ${leaseMs}::float8 * interval '1 millisecond', change = next_task_change(),
         node = ${node}::text
   where id = any(${ids}) and finished_at is null
  returning id, type, client_id, project_id, region_id, user_id, subject_id, subject_name, input, failure, attempt,
            retries, created_at, request_id, trace`;

/** Which tasks may be claimed. */
export interface Claim {
  /** The region that this node owns, or null: all that have no owner, and tasks of no region. */
  readonly regionId: number | null;
  /** The regions that this node knows; tasks of others wait for a node that does. */
  readonly known: readonly number[];
  /** Who has to be the region's owner. */
  readonly owner: string;
  readonly limit: number;
  /** Tasks that the worker has already, which it is not to have twice. */
  readonly except: readonly string[];
  readonly leaseMs: number;
  readonly timestamp: string;
  /** The process that claims: `machine:pid`. */
  readonly node: string;
}

/** Claims due tasks, those that have been due for longest first, and none that another worker is claiming. A region
 *  with an owner is for its owner. Regions come in any order, so that none waits for the others. */
export async function claim(db: Db, claim: Claim): Promise<ClaimedTask[]> {
  const region = sql`(select ${claim.regionId}::int)`;
  const limit = sql`(select ${claim.limit}::int)`;
  return db.rows<ClaimedTask>(sql`
    with places as materialized (
      select 0 as id where ${region} is null
       union all
      select r.id from regions r left join region_owners o on o.region_id = r.id
       where case when ${region} is null
                  then o.region_id is null and r.id = any((select ${claim.known}::int[])::int[])
                  else r.id = ${region} and o.holder = (select ${claim.owner}::uuid) end
    ), due as (
      select t.id from (select id from places order by random()) place cross join lateral (
        select id from tasks_active
         where coalesce(region_id, 0) = place.id and finished_at is null and greatest(run_at, lease_until) <= now()
           and id <> all((select ${claim.except}::uuid[])::uuid[])
         order by greatest(run_at, lease_until) limit ${limit} for update skip locked) t
       limit ${limit})
    ${claimOf(sql`array(select id from due)`, claim)}`);
}

/** Claims one task, whoever has it and whenever it is due. */
export const claimTask = (
  db: Db,
  id: string,
  run: Pick<Claim, 'leaseMs' | 'timestamp' | 'node'>,
): Promise<ClaimedTask | undefined> => db.row<ClaimedTask>(claimOf(sql`array[${id}::uuid]`, run));

export interface Hold {
  readonly id: string;
  readonly attempt: number;
}

/** Moves the leases of all that a worker has. What is just being written, by its end or by a run that takes over, is
 *  left alone.
 *  @returns the ids of those that it has no longer */
export async function renew(db: Db, holds: readonly Hold[], leaseMs: number): Promise<readonly string[]> {
  const rows = await db.rows<{
    id: string;
  }>(sql`with held as materialized (select * from unnest(${holds.map(({ id }) => id)}::uuid[], ${holds.map(({ attempt }) => attempt)}::int[]) as held (id, attempt)),
     renewed as (
       update tasks_active set lease_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
        where id = any(array(select t.id from held join tasks_active t using (id, attempt)
                              where t.finished_at is null for update of t skip locked)))
     select id from held where not exists (
       select from tasks_active t where t.id = held.id and t.attempt = held.attempt and t.finished_at is null)`);
  return rows.map(({ id }) => id);
}

interface Ending extends Hold {
  readonly timestamp: string;
}

/** Ends a task well, with what it has created.
 *  @returns false when another run has taken over; then the caller must roll back */
export async function finish(
  tx: Tx,
  { id, attempt, timestamp, created: all }: Ending & { readonly created: Created },
): Promise<boolean> {
  return tx.any(sql`update tasks set state = 'FINISHED', progress = 100, step = null, created_resources = ${JSON.stringify(created(all))}::jsonb,
            lease_until = null, updated_at = ${timestamp}, finished_at = ${timestamp}, change = next_task_change()
      where id = ${id} and attempt = ${attempt} and finished_at is null returning id`);
}

/** @returns false when another run has taken over; then the caller must roll back */
export async function fail(tx: Tx, { id, attempt, timestamp }: Ending): Promise<boolean> {
  return tx.any(sql`update tasks t set state = 'ERROR', error = failure, created_resources = null, step = null, lease_until = null,
            updated_at = ${timestamp}, finished_at = ${timestamp}, change = next_task_change()
      where id = ${id} and attempt = ${attempt} and finished_at is null returning id`);
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

/** Notes where the run stands, gives the task back and says when it is due again; does nothing for a run that was
 *  overtaken. */
export async function reschedule(db: Db, next: Reschedule): Promise<void> {
  await db.run(sql`update tasks_active set updated_at = ${next.timestamp}, progress = greatest(progress, coalesce(${next.percent === undefined ? null : Math.min(99, Math.max(0, Math.round(next.percent)))}::smallint, progress)),
            step = coalesce(${next.step ?? null}::text, step), failure = coalesce(failure, ${next.failure ?? null}::text), retries = ${next.retries}::int,
            run_at = now() + ${next.delayMs}::float8 * interval '1 millisecond', lease_until = null,
            change = next_task_change()
      where id = ${next.id}::uuid and attempt = ${next.attempt}::int and finished_at is null`);
}
