import type { CertificateInUse } from '../../platform/certificates/watch.ts';
import type { Db } from '../../platform/database/db.ts';
import { raw, sql } from '../../platform/database/sql.ts';

const MOST = 1000;

/** The certificates of listeners and pools that expire before a moment, the first ones first. */
export async function certificatesInUse(db: Db, before: Date): Promise<readonly CertificateInUse[]> {
  const rows = await db.rows<{
    use: 'listener' | 'pool';
    id: string;
    expires_at: Date;
  }>(sql`with due as materialized (select id, not_after from secrets where not_after < ${before})
     select use, id, min(not_after) as expires_at
       from (select 'listener' as use, l.id, d.not_after from due d join lb_listeners l on l.secret_id = d.id
             union all
             select 'listener', l.id, d.not_after
               from due d join lb_listeners l on l.sni_secret_ids @> array[d.id]
             union all
             select 'pool', p.id, d.not_after from due d join lb_pools p on p.secret_id = d.id
             union all
             select 'pool', p.id, d.not_after from due d join lb_pools p on p.ca_secret_id = d.id) used
      group by use, id order by expires_at, id limit ${raw(MOST)}`);
  return rows.map(({ use, id, expires_at }) => ({ use, of: `${use} ${id}`, expiresAt: expires_at }));
}
