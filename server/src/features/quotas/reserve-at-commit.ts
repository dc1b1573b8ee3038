import type { Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { defaultLimit, LOWEST_THRESHOLD, type QuotaName, type QuotaScope } from './model.ts';
import type { Counter } from './reached.ts';

/** Quotas with ample room are reserved by a statement that is sent together with the commit: nobody needs to see its
 *  result before. So creations of one client wait for each other only while one is being committed. */

/** So many more of the same must fit below every threshold. */
const ROOM = 100;
const MOST_SEEN = 10_000;

/** The counters as they were last seen. Only a hint, of whichever database: the statement looks for itself. */
const seen = new Map<string, Counter>();

const keyOf = ({ clientId, regionId }: QuotaScope, name: QuotaName) => `${clientId} ${regionId} ${name}`;

/** Remembers a counter; undefined: nothing is known of it any more. */
export function saw(scope: QuotaScope, name: QuotaName, counter: Counter | undefined): void {
  if (seen.size >= MOST_SEEN) seen.clear();
  if (counter) seen.set(keyOf(scope, name), counter);
  else seen.delete(keyOf(scope, name));
}

export function hasRoom(scope: QuotaScope, name: QuotaName, amount: number): boolean {
  const counter = seen.get(keyOf(scope, name));
  if (!counter) return false;
  return (counter.usage + ROOM * amount) * 100 < counter.quota_limit * LOWEST_THRESHOLD;
}

/** Reserves at the commit. If the quota has come near a threshold meanwhile, the transaction is done again, and then
 *  looks closely. */
export function reserveAtCommit(tx: Tx, scope: QuotaScope, name: QuotaName, amount: number): void {
  tx.atCommit<Counter>(
    sql`with counted as (
       insert into quota_counters as q (client_id, region_id, name, usage, quota_limit)
       select ${scope.clientId}::int, ${scope.regionId}::int, ${name}::text, ${amount}::bigint, ${defaultLimit(name)}::bigint
       on conflict (client_id, region_id, name)
       do update set usage = q.usage + ${amount} where (q.usage + ${amount}) * 100 < q.quota_limit * ${LOWEST_THRESHOLD}
       returning usage, quota_limit)
     select repeat_unless(count(*) = 1 and max(usage) * 100 < max(quota_limit) * ${LOWEST_THRESHOLD}),
            max(usage) as usage, max(quota_limit) as quota_limit from counted`,
    (rows) => saw(scope, name, rows?.[0]),
  );
}
