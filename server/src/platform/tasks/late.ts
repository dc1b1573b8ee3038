import type { Db } from '../database/db.ts';

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

const DEADLINES = `unnest($1::text[], $2::float8[]) d (type, ms)`;
const DEADLINE_MS = `coalesce((select d.ms from ${DEADLINES} where d.type = t.type), $3::float8)`;

function lateValues({ deadlines, defaultMs, now, silentMs, timestamp }: Late): unknown[] {
  return [
    deadlines.map(([type]) => type),
    deadlines.map(([, ms]) => ms),
    defaultMs,
    now.toISOString(),
    new Date(now.getTime() - silentMs).toISOString(),
    timestamp,
  ];
}

/** How many tasks are past their deadline and have not ended. */
export async function countLate(db: Db, late: Pick<Late, 'deadlines' | 'defaultMs'>): Promise<number> {
  return db.namedNumber(
    'task_count_late',
    `select count(*) as count from tasks_active t where t.finished_at is null
        and t.created_at + ${DEADLINE_MS} * interval '1 millisecond' < now()`,
    [late.deadlines.map(([type]) => type), late.deadlines.map(([, ms]) => ms), late.defaultMs],
  );
}

/** Has tasks that hang beyond their deadline undone by another run: what the present one finds out is void. */
export async function giveUpHanging(db: Db, late: Late): Promise<LateTask[]> {
  return db.named<LateTask>(
    'task_give_up_hanging',
    `with late as (
       select t.id, ${DEADLINE_MS} as ms from tasks_active t
        where t.finished_at is null and t.failure is null and t.updated_at < $5::timestamptz
          and t.created_at + ${DEADLINE_MS} * interval '1 millisecond' < $4::timestamptz
     )
     update tasks_active t set failure = t.type || ' was not done within ' || round(late.ms / 1000) || ' s',
            state = 'RUNNING', attempt = t.attempt + 1, retries = 0, run_at = now(), lease_until = null,
            updated_at = $6::timestamptz, change = next_task_change()
       from late where t.id = late.id and t.finished_at is null and t.failure is null
     returning t.id, t.type, t.request_id, t.created_at`,
    lateValues(late),
  );
}

/** Ends tasks whose undoing hangs, or has failed several times in a row, long after their deadline.
 *  @param factor deadlines after their acceptance */
export async function abandon(
  db: Db,
  late: Late,
  { factor, retries }: { factor: number; retries: number },
): Promise<LateTask[]> {
  return db.named<LateTask>(
    'task_abandon',
    `update tasks t set state = 'ERROR', error = t.failure, created_resources = null, step = null,
            attempt = t.attempt + 1, lease_until = null, updated_at = $6::timestamptz,
            finished_at = $6::timestamptz, change = next_task_change()
      where t.finished_at is null and t.failure is not null
        and (t.updated_at < $5::timestamptz or t.retries >= $8::int)
        and t.created_at + $7::float8 * ${DEADLINE_MS} * interval '1 millisecond' < $4::timestamptz
      returning t.id, t.type, t.request_id, t.created_at`,
    [...lateValues(late), factor, retries],
  );
}
