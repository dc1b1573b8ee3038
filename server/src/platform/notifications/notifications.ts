import { noteChange } from '../changes/changes.ts';
import type { Db, Queryable, Tx } from '../database/db.ts';
import { forgetOld } from '../database/forget-old.ts';
import { sql } from '../database/sql.ts';

/** What people were notified of, kept for them to read in the portal. */

/** Who is notified: everybody of an account, its administrators, or one person. */
export type Audience =
  | { readonly db: Pick<Db, 'notify'>; readonly clientId: number; readonly administrators?: boolean }
  | { readonly userId: number };

export interface NewNotification {
  readonly to: Audience;
  /** In the words of the API: `quota_threshold`. */
  readonly kind: string;
  readonly means: 'mail' | 'webhook';
  readonly subject: string;
  /** null: the subject says it all. */
  readonly body: string | null;
  /** Of what repeats itself: at most one is kept of an hour. */
  readonly source?: string;
  readonly timestamp: string;
}

/** Keeps a notification in the transaction of what it is about, and says so to who follows the account. */
export async function keepNotification(tx: Tx, notification: NewNotification): Promise<void> {
  const { to, kind, means, subject, body, source = null, timestamp } = notification;
  const clientId = 'clientId' in to ? to.clientId : null;
  const userId = 'userId' in to ? to.userId : null;
  const administrators = 'clientId' in to && to.administrators === true;
  await tx.run(sql`
    insert into notifications (client_id, user_id, for_administrators, kind, means, subject, body, source, created_at)
    select ${clientId}, ${userId}, ${administrators}, ${kind}, ${means}, ${subject}, ${body}, ${source}, ${timestamp}
     where ${source}::text is null or not exists (
       select from notifications n where n.client_id = ${clientId} and n.source = ${source}
          and n.created_at > ${timestamp}::timestamptz - interval '1 hour')`);
  if (!('db' in to)) return;
  const where = { clientId: to.clientId, projectId: null, regionId: null };
  tx.afterCommit(() => noteChange(to.db, { ...where, action: 'notified', noun: 'notification', id: null }));
}

/** Forgets what people were notified of before a moment. */
export const forgetNotifications = (db: Queryable, before: Date): Promise<void> =>
  forgetOld(db, { table: 'notifications', by: 'created_at', before: before.toISOString() });
