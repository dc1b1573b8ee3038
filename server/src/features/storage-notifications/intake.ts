import { readTime } from '../../kernel/codecs.ts';
import { Invalid } from '../../kernel/errors.ts';
import { TIME_RULE } from '../../kernel/rules.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { ClientContext } from '../../platform/http/context.ts';
import { monthOf } from './model.ts';
import { type Means, notifyReached } from './notify.ts';
import type { UsageReport } from './schema.ts';
import { lockClient } from './store.ts';
import { type BucketUsage, bucketsOf, MAX_EARLY_MS, MAX_LATE_MS } from './usage.ts';
import { addToMonth, insertReport, type ReportKey, saveLevels } from './usage-store.ts';

/**
 * Counts a report of a storage engine once, whatever often it comes, and notifies the client of what it has reached.
 * @returns whether it was counted now
 * @throws Invalid for a report without content, too old to be known for a repetition, or from the future
 */
export async function acceptReport(
  ctx: ClientContext,
  storageName: string,
  report: UsageReport,
): Promise<{ counted: boolean }> {
  const at = timeOf(report.to, ctx.clock.now());
  if (!report.buckets && !report.videos) throw new Invalid({ buckets: ['is required, or videos'] });
  const buckets = bucketsOf(report);
  const key = { clientId: ctx.clientId, storageName, id: report.id, at };
  return ctx.db.transaction(async (tx) => ({ counted: await countReport(tx, ctx, key, buckets) }));
}

/** The same in the caller's transaction, for a storage of ours. @returns whether it was counted now */
export async function countReport(
  tx: Tx,
  means: Means,
  key: ReportKey,
  buckets: readonly BucketUsage[],
): Promise<boolean> {
  await lockClient(tx, key.clientId);
  if (!(await insertReport(tx, key))) return false;
  await saveLevels(tx, key, buckets);
  await addToMonth(tx, key, monthOf(key.at), buckets);
  await notifyReached(tx, means, key.clientId, key.storageName, monthOf(key.at));
  return true;
}

function timeOf(text: string, now: Date): Date {
  const at = readTime(text);
  if (!at) throw new Invalid({ to: [TIME_RULE] });
  const ageMs = now.getTime() - at.getTime();
  if (ageMs > MAX_LATE_MS) throw new Invalid({ to: ['must not be more than 31 days ago'] });
  if (ageMs < -MAX_EARLY_MS) throw new Invalid({ to: ['must not be in the future'] });
  return at;
}
