import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Instances that failed. Nodes of clusters are replaced by themselves. */
export const instancesInNeed: AttentionSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    status_since: Date;
    status_reason: string | null;
  }>(sql`select id, name, region_id, status_since, status_reason from instances
      where project_id = ${projectId} and status = 'ERROR' and cluster_id is null order by status_since limit ${MOST_OF_ONE}`);
  return rows.map(({ id, name, region_id: regionId, status_since: since, status_reason: why }) => ({
    kind: 'instance',
    id,
    name,
    regionId,
    since,
    severity: 'failed',
    reason: why ?? 'It failed: start it again, or delete it',
  }));
};
