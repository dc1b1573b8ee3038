import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Subscriptions of the account whose last attempt failed, for those who may see them. */
export const webhooksInNeed: AttentionSource = async (db, { clientId, role }) => {
  if (role !== 'Administrators') return [];
  const rows = await db.rows<{
    id: number;
    url: string;
    last_error: string;
    created_at: Date;
  }>(sql`select t.id, t.url, d.last_error, d.created_at from webhook_targets t cross join lateral (
       select last_error, created_at from webhook_deliveries
        where target_id = t.id and (attempts > 0 or state <> 'WAITING') order by created_at desc, id desc limit 1) d
      where t.client_id = ${clientId} and t.kind = 'user_actions' and d.last_error is not null order by t.id limit ${MOST_OF_ONE}`);
  return rows.map(({ id, url, last_error: error, created_at: since }) => ({
    kind: 'webhook',
    id: String(id),
    name: url,
    regionId: null,
    since,
    severity: 'failed' as const,
    reason: `The last delivery failed: ${error}`,
  }));
};
