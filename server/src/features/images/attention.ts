import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Images of which nothing can be made. */
export const imagesInNeed: AttentionSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    updated_at: Date;
    status_reason: string | null;
  }>(sql`select id, name, region_id, updated_at, status_reason from images
      where project_id = ${projectId} and status = 'error' order by updated_at limit ${MOST_OF_ONE}`);
  return rows.map(({ id, name, region_id: regionId, updated_at: since, status_reason: why }) => ({
    kind: 'image',
    id,
    name,
    regionId,
    since,
    severity: 'failed' as const,
    reason: why ?? 'It may not be whole: delete it',
  }));
};
