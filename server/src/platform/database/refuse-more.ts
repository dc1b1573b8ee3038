import { Forbidden } from '../../kernel/errors.ts';
import type { Tx } from './db.ts';
import { sql } from './sql.ts';

export interface Kept {
  /** In the plural. */
  readonly what: string;
  /** Whose they are: `account 7`, `project 3`. */
  readonly owner: string;
  readonly limit: number;
  /** How many there are already. */
  readonly count: () => Promise<number>;
}

/** Refuses one more of what no quota counts. Those who make some at the same time for one owner wait for each other,
 *  so that together they do not make too many.
 *  @throws Forbidden */
export async function refuseMore(tx: Tx, { what, owner, limit, count }: Kept): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`${what} of ${owner}`}, 0))`);
  const has = await count();
  if (has < limit) return;
  throw new Forbidden(`There are ${has} ${what}, which is the most for ${owner}; delete one first`);
}
