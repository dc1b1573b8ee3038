import type { Db } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';

/** A deletion that was tried and failed. */
export interface Failure {
  /** The id of what is still there. */
  readonly subject: string;
  readonly name: string;
  readonly type: string;
  readonly error: string;
  readonly at: Date;
  /** How often it failed. */
  readonly times: number;
}

/** What of a client could not be deleted at the last attempt, the latest first.
 *  @param since when its deletion began */
export const readFailures = (db: Db, clientId: number, since: Date): Promise<readonly Failure[]> =>
  db.rows<Failure>(sql`
    select subject_id as subject, subject_name as name, type, error, finished_at as at, times from (
      select distinct on (subject_id) subject_id, subject_name, type, error, finished_at,
             count(error) over (partition by subject_id)::int as times
        from tasks
       where client_id = ${clientId} and created_at >= ${since.toISOString()} and finished_at is not null
       order by subject_id, created_at desc, id) last
     where error is not null and subject_id is not null and finished_at is not null and times is not null
     order by finished_at desc`);

const FIRST_PAUSE_MS = 10_000;
const MOST_DOUBLINGS = 6;

/** Whether it is too early to try again: after each failure twice as late as after the one before. */
export const isPausing = ({ at, times }: Failure, now: Date): boolean =>
  now.getTime() < at.getTime() + FIRST_PAUSE_MS * 2 ** Math.min(times - 1, MOST_DOUBLINGS);

/** `delete network inner: The switch is on fire`. */
export const failureInWords = ({ type, name, error }: Failure): string =>
  `${[type.replaceAll('_', ' '), name].filter(Boolean).join(' ')}: ${error}`;
