import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import type { Db, Queryable } from '../database/db.ts';
import { forgetOld } from '../database/forget-old.ts';
import { sql } from '../database/sql.ts';
import type { BackgroundJob } from '../feature.ts';

/** Limits that hold over all nodes: the database counts, so that neither a restart nor a flood of other keys
 *  makes it forget. For what is rare and dear; requests in general are counted by `SharedCounts`. */

export interface Limit {
  /** What is limited, and for whom: `sign-in from 192.0.2.1`. */
  readonly key: string;
  readonly points: number;
  /** From the first point on, after which all points are there again. */
  readonly seconds: number;
}

interface Counted {
  readonly db: Queryable;
  readonly clock: Clock;
}

/** Uses a point of each limit, all or none.
 *  @returns milliseconds until there is one again, or undefined when all were used */
export async function tryCount(
  { db, clock }: Counted,
  limits: readonly Limit[],
): Promise<number | undefined> {
  const now = clock.now();
  const [row] = await db.rows<{ free: Date | null }>(
    sql`select take_points(${limits.map(({ key }) => digest(key))}::bytea[], ${limits.map(({ points }) => points)}::int[], ${limits.map(({ seconds }) => seconds)}::int[], ${now.toISOString()}) as free`,
  );
  return row?.free ? Math.max(1, row.free.getTime() - now.getTime()) : undefined;
}

/** As `tryCount`. @throws TooManyRequests when one of the limits has no point left */
export async function consume(counted: Counted, limits: readonly Limit[]): Promise<void> {
  const waitMs = await tryCount(counted, limits);
  if (waitMs !== undefined) throw new TooManyRequests(waitMs);
}

/** Gives a point back to each limit: what it was used for did not count after all. */
export async function giveBack(db: Queryable, limits: readonly Limit[]): Promise<void> {
  await db.run(
    sql`update rate_limits set points = points - 1 where key = any(${limits.map(({ key }) => digest(key))}::bytea[]) and points > 0`,
  );
}

/** Gives all points back. */
export async function reset(db: Queryable, limit: Limit): Promise<void> {
  await db.run(sql`delete from rate_limits where key = ${digest(limit.key)}`);
}

const digest = (key: string) => createHash('sha256').update(key).digest();

/** Forgets windows that are over. */
export function forgetOldLimits(db: Db, clock: Clock): BackgroundJob {
  return {
    name: 'rate-limits-cleanup',
    everyMs: 60_000,
    exclusive: true,
    run: () => forgetOld(db, { table: 'rate_limits', by: 'expires_at', before: clock.now().toISOString() }),
  };
}
