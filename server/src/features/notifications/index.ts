import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Feature } from '../../platform/feature.ts';
import { forgetNotifications } from '../../platform/notifications/notifications.ts';
import { notificationExamples } from './examples.ts';
import { notificationRoutes } from './routes.ts';

const HOUR_MS = 3_600_000;
const KEPT_MS = 90 * 24 * HOUR_MS;

/** What people were notified of, with the marks of who has read it. */
export function notifications({ db, clock }: { readonly db: Db; readonly clock: Clock }): Feature {
  return {
    name: 'notifications',
    areas: { Notifications: 'What people of the account were notified of, and whether they have read it.' },
    nouns: { notifications: 'Notification' },
    examples: notificationExamples,
    routes: notificationRoutes,
    background: [
      {
        name: 'notifications-forget',
        everyMs: HOUR_MS,
        exclusive: true,
        run: () => forgetNotifications(db, new Date(clock.now().getTime() - KEPT_MS)),
      },
    ],
  };
}
