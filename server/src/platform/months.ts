import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Db } from './database/db.ts';
import { raw, sql } from './database/sql.ts';
import type { BackgroundJob } from './feature.ts';

/** Tables that are kept by the month: tasks that have ended, and the audit log. */

/** How long they are kept, in days; 0: for ever. A month goes when its last day is older. */
export interface Kept {
  readonly tasksDays: number;
  readonly auditLogDays: number;
}

export const KEPT_A_YEAR: Kept = { tasksDays: 365, auditLogDays: 365 };

/** This month and the next ones: what comes in a month without a table has to be moved when it gets one. */
const MONTHS_AHEAD = 2;
const LOOK_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Adds the tables of this month and the next ones. */
export async function addMonths(db: Db, now: Date): Promise<void> {
  await db.run(sql`select add_month_of_ended_tasks(month), add_month_of_audit_log(month)
       from (select (date_trunc('month', ${now.toISOString()}::timestamptz at time zone 'UTC') + n * interval '1 month')::date as month
               from generate_series(0, ${MONTHS_AHEAD}::int) n) months`);
}

/** Drops the tables of months that nobody wants to keep any longer.
 *  @returns their names */
export async function dropMonths(db: Db, now: Date, kept: Kept): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const [table, days] of [
    ['ended_tasks', kept.tasksDays],
    ['audit_log', kept.auditLogDays],
  ] as const) {
    if (days === 0) continue;
    const before = new Date(now.getTime() - days * DAY_MS).toISOString();
    const rows = await db.transaction(async (tx) => {
      // Everybody waits behind whoever waits for the lock: it is tried again later.
      await tx.run(sql`set local lock_timeout = '2s'`);
      return tx.rows<{ name: string }>(
        sql`select name from drop_months_of_${raw(table)}((${before}::timestamptz at time zone 'UTC')::date) as name`,
      );
    });
    dropped.push(...rows.map(({ name }) => name));
  }
  return dropped;
}

/** Keeps tables of months ready, and drops old ones. */
export function monthsJob(options: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kept: Kept;
}): BackgroundJob {
  const { db, clock, log, kept } = options;
  return {
    name: 'months',
    everyMs: LOOK_EVERY_MS,
    exclusive: true,
    beforeReady: true,
    run: async () => {
      await addMonths(db, clock.now());
      const dropped = await dropMonths(db, clock.now(), kept);
      if (dropped.length > 0) log.info({ tables: dropped }, 'dropped months that are kept no longer');
    },
  };
}
