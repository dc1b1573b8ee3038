import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { countReport } from '../storage-notifications/index.ts';
import type { StorageReport } from './port.ts';

export interface CountDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How long statistics go back. */
export const KEPT_USAGE_MS = 400 * 86_400_000;

/** Counts what a storage has used once, however often it is reported: for the thresholds, and for the statistics.
 *  @param add adds it to the statistics */
export async function countUsageOnce(
  deps: CountDeps,
  storage: { readonly clientId: number; readonly storageName: string },
  report: StorageReport,
  add: (tx: Tx) => Promise<void>,
): Promise<void> {
  const buckets = report.buckets.map((bucket) => ({
    bucket_name: bucket.name,
    used_space: bucket.bytes,
    files_quantity: bucket.files,
    used_traffic: bucket.trafficIn + bucket.trafficOut,
    used_requests: bucket.requestsIn + bucket.requestsOut,
  }));
  await deps.db.transaction(async (tx) => {
    const key = { ...storage, id: report.id, at: report.at };
    if (await countReport(tx, deps, key, buckets)) await add(tx);
  });
}
