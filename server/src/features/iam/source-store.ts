import type { Queryable, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';

/** From where users have signed in before. */

/** Whether the user with this address, in its canonical form, has signed in from there before. */
export async function isKnown(db: Queryable, address: string, source: string): Promise<boolean> {
  return db.any(sql`select 1 from users u join known_sources k on k.user_id = u.id
      where lower(u.email collate "C") = ${address} and u.deleted_at is null and k.source = ${source}`);
}

export async function remember(
  tx: Tx,
  seen: { userId: number; source: string; timestamp: string },
): Promise<void> {
  await tx.run(sql`insert into known_sources (user_id, source, last_used_at) values (${seen.userId}, ${seen.source}, ${seen.timestamp})
     on conflict (user_id, source) do update set last_used_at = excluded.last_used_at`);
}

/** Forgets places that were not used since a moment. */
export async function forgetOldSources(db: Queryable, before: Date): Promise<void> {
  await forgetOld(db, { table: 'known_sources', by: 'last_used_at', before: before.toISOString() });
}
