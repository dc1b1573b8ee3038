import { type AttentionSource, endOf, MOST_OF_ONE, soon } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Certificates that have expired or will within 30 days. */
export const secretsInNeed: AttentionSource = async (db, { projectId, now }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    not_after: Date;
  }>(sql`select id, name, region_id, not_after from secrets
      where project_id = ${projectId} and kind = 'certificate' and not_after < ${soon(now).toISOString()} order by not_after, id limit ${MOST_OF_ONE}`);
  return rows.map(({ id, name, region_id: regionId, not_after }) => ({
    kind: 'secret',
    id,
    name,
    regionId,
    since: null,
    ...endOf(not_after, now),
  }));
};
