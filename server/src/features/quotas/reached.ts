import type { Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { DEFAULT_THRESHOLD, LOWEST_THRESHOLD } from './model.ts';

/** Which quotas have come to their thresholds: rows that wait for the next mail. */

export interface Counter {
  readonly usage: number;
  readonly quota_limit: number;
}

interface Named {
  readonly clientId: number;
  readonly regionId: number;
  readonly name: string;
}

/** Notes that a counter, which the transaction has changed, has come to the threshold of its client, if it was below
 *  it before. */
export async function noteReached(tx: Tx, counter: Named, now: Counter, before: Counter): Promise<void> {
  const { usage, quota_limit: limit } = now;
  if (usage <= 0 || usage * 100 < limit * LOWEST_THRESHOLD) return;
  // A change of the threshold waits until this is committed, and this until such a change is.
  await tx.run(sql`select pg_advisory_xact_lock_shared(${THRESHOLD_LOCK}, ${counter.clientId})`);
  await tx.run(sql`insert into quota_reachings (client_id, region_id, name, usage, quota_limit, threshold)
     select ${counter.clientId}, ${counter.regionId}, ${counter.name}, ${usage}, ${limit}, t.threshold
       from (select coalesce((select threshold from quota_thresholds where client_id = ${counter.clientId}), ${DEFAULT_THRESHOLD}) as threshold) t
      where quota_reached(${usage}, ${limit}, t.threshold) and not quota_reached(${before.usage}, ${before.quota_limit}, t.threshold)`);
}

/** Changed thresholds hold this lock of their client alone. */
export const THRESHOLD_LOCK = 72117;
