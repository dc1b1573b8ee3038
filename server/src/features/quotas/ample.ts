import type { Tx } from '../../platform/database/db.ts';
import { LOWEST_THRESHOLD, type QuotaName, type QuotaScope } from './model.ts';
import type { Counter } from './reached.ts';

/** Quotas with ample room are reserved by a statement that is sent together with the commit: nobody needs to see its
 *  result before. So creations of one client wait for each other only while one is being committed. */

/** So many more of the same must fit below every threshold. */
const AMPLE = 100;
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

export function isAmple(scope: QuotaScope, name: QuotaName, amount: number): boolean {
  const counter = seen.get(keyOf(scope, name));
  if (!counter) return false;
  return (counter.usage + AMPLE * amount) * 100 < counter.quota_limit * LOWEST_THRESHOLD;
}

/** Reserves at the commit. If the quota has come near a threshold meanwhile, the transaction is done again, and then
 *  looks closely. */
export function reserveAtCommit(tx: Tx, scope: QuotaScope, name: QuotaName, amount: number): void {
  tx.atCommit<Counter>(
    'quota_reserve_ample',
    `with counted as (
       update quota_counters set usage = usage + $4
        where client_id = $1 and region_id = $2 and name = $3 and (usage + $4) * 100 < quota_limit * $5
       returning usage, quota_limit)
     select repeat_unless(count(*) = 1), max(usage) as usage, max(quota_limit) as quota_limit from counted`,
    [scope.clientId, scope.regionId, name, amount, LOWEST_THRESHOLD],
    (rows) => saw(scope, name, rows?.[0]),
  );
}
