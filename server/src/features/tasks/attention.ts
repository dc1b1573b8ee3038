import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Tasks that failed, and that nobody has acknowledged. */
export const tasksInNeed: AttentionSource = async (db, { clientId, projectId }) => {
  const rows = await db.rows<{
    id: string;
    type: string;
    region_id: number | null;
    finished_at: Date;
    error: string | null;
    subject_name: string;
  }>(sql`select id, type, region_id, finished_at, error, subject_name from tasks
      where client_id = ${clientId} and project_id = ${projectId} and state = 'ERROR' and acknowledged_at is null
        and finished_at is not null
      order by finished_at desc, id limit ${MOST_OF_ONE}`);
  return rows.map(({ id, type, region_id: regionId, finished_at: since, error, subject_name }) => ({
    kind: 'task',
    id,
    name: type,
    regionId,
    since,
    severity: 'failed' as const,
    subject: subject_name || undefined,
    reason: error ?? 'It failed',
  }));
};
