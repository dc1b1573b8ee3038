import type { Queryable } from './db.ts';
import { empty, raw, type Sql, sql } from './sql.ts';

/** Rows that one statement deletes: what others have to do with them is over soon. */
export const SOME = 2000;

/** Does something again and again, each time in a transaction of its own, until less is left than it does at once.
 *  @param some does it once. @returns how many rows that were */
export async function inBatches(some: () => Promise<number>): Promise<void> {
  while ((await some()) === SOME);
}

export interface OldRows {
  readonly table: string;
  /** SQL of what says how old a row is; it needs an index. */
  readonly by: string;
  /** Rows below are deleted. */
  readonly before: string | number;
  /** SQL of what else is true of them. */
  readonly where?: string;
}

/** Deletes old rows, the oldest first. */
export const forgetOld = (db: Queryable, old: OldRows): Promise<void> =>
  inBatches(() => db.number(forgettingSql(old)));

/** A row that was changed since it was found is another one, and stays for the next time. */
export function forgettingSql({ table, by, where, before }: OldRows): Sql {
  const [rows, age] = [raw(table), raw(by)];
  return sql`
    with gone as (
      delete from ${rows} where ctid = any(array(
        select ctid from ${rows} where ${age} < ${before} ${where ? raw(`and ${where}`) : empty}
         order by ${age} limit ${raw(String(SOME))}))
      returning 1)
    select count(*) as count from gone`;
}
