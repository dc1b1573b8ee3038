import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { storageNotificationExamples } from './examples.ts';
import { monthOf } from './model.ts';
import { storageNotificationRoutes } from './routes.ts';
import { MAX_LATE_MS } from './usage.ts';
import { deleteOldUsage } from './usage-store.ts';

export { countReport } from './intake.ts';

const FORGET_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MONTHS_KEPT_DAYS = 400;

export function storageNotifications({ db, clock }: { readonly db: Db; readonly clock: Clock }): Feature {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);
  return {
    name: 'storage-notifications',
    areas: { 'Storage notifications': 'Thresholds of space, files, traffic and requests.' },
    nouns: {
      event: 'StorageEvent',
      events: 'StorageEvent',
      storages: 'Storage',
      usage_reports: 'UsageReport',
    },
    examples: storageNotificationExamples,
    routes: storageNotificationRoutes,
    background: [
      {
        name: 'storage-notifications-forget',
        everyMs: FORGET_EVERY_MS,
        exclusive: true,
        run: () => deleteOldUsage(db, ago(MAX_LATE_MS + DAY_MS), monthOf(ago(MONTHS_KEPT_DAYS * DAY_MS))),
      },
    ],
  };
}
