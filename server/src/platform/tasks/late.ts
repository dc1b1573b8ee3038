import type { Db } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';

/** SQL of the watchdog: tasks that should have ended, and did not. */

/** Tasks that should have ended. */
export interface Late {
  /** Milliseconds after acceptance by which a task of a type ends. */
  readonly deadlines: readonly (readonly [type: string, ms: number])[];
  /** For other types. */
  readonly defaultMs: number;
  readonly now: Date;
  readonly timestamp: string;
  /** After this long without a word a task hangs. */
  readonly silentMs: number;
}

export interface LateTask {
  readonly id: string;
  readonly type: string;
  readonly request_id: string | null;
  readonly created_at: Date;
}

type Deadlines = Pick<Late, 'deadlines' | 'defaultMs'>;

/** SQL of the deadline of a task `t`, in milliseconds after its acceptance. */
const deadlineMs = ({ deadlines, defaultMs }: Deadlines): Sql => sql`coalesce((
    select d.ms from unnest(${deadlines.map(([type]) => type)}::text[], ${deadlines.map(([, ms]) => ms)}::float8[])
        d (type, ms)
     where d.type = t.type), ${defaultMs}::float8)`;

/** SQL of since when nothing has been heard of a task that hangs. */
const silentSince = ({ now, silentMs }: Late): Sql =>
  sql`${new Date(now.getTime() - silentMs).toISOString()}::timestamptz`;

/** How many tasks are past their deadline and have not ended. */
export const countLate = (db: Db, late: Deadlines): Promise<number> =>
  db.number(sql`select count(*) as count from tasks_active t where t.finished_at is null
        and t.created_at + ${deadlineMs(late)} * interval '1 millisecond' < now()`);

/** Has tasks that hang beyond their deadline undone by another run: what the present one finds out is void. */
export const giveUpHanging = (db: Db, late: Late): Promise<LateTask[]> =>
  db.rows<LateTask>(sql`
    with hanging as (
      select t.id, t.created_at, ${deadlineMs(late)} as ms from tasks_active t
       where t.finished_at is null and t.failure is null and t.updated_at < ${silentSince(late)}
    ), late as (
      select id, ms from hanging
       where created_at + ms * interval '1 millisecond' < ${late.now.toISOString()}::timestamptz
    )
    update tasks_active t set failure = t.type || ' was not done within ' || round(late.ms / 1000) || ' s',
           state = 'RUNNING', attempt = t.attempt + 1, retries = 0, run_at = now(), lease_until = null,
           updated_at = ${late.timestamp}::timestamptz, change = next_task_change()
      from late where t.id = late.id and t.finished_at is null and t.failure is null
    returning t.id, t.type, t.request_id, t.created_at`);

/** Ends tasks whose undoing hangs, or has failed several times in a row, long after their deadline.
 *  @param factor deadlines after their acceptance */
export const abandon = (
  db: Db,
  late: Late,
  { factor, retries }: { factor: number; retries: number },
): Promise<LateTask[]> =>
  db.rows<LateTask>(sql`
    update tasks t set state = 'ERROR', error = t.failure, created_resources = null, step = null,
           attempt = t.attempt + 1, lease_until = null, updated_at = ${late.timestamp}::timestamptz,
           finished_at = ${late.timestamp}::timestamptz, change = next_task_change()
     where t.finished_at is null and t.failure is not null
       and (t.updated_at < ${silentSince(late)} or t.retries >= ${retries}::int)
       and t.created_at + ${factor}::float8 * ${deadlineMs(late)} * interval '1 millisecond'
           < ${late.now.toISOString()}::timestamptz
     returning t.id, t.type, t.request_id, t.created_at`);
