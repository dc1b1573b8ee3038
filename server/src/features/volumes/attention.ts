import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';
import { sql } from '../../platform/database/sql.ts';

/** Volumes and snapshots that may not be whole. */
export const volumesInNeed: AttentionSource = async (db, ask) => [
  ...(await volumesOf(db, ask)),
  ...(await snapshotsOf(db, ask)),
];

const volumesOf: AttentionSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    updated_at: Date;
    status: string;
    status_reason: string | null;
  }>(sql`select id, name, region_id, updated_at, status, status_reason from volumes
      where project_id = ${projectId} and status like 'error%' order by updated_at limit ${MOST_OF_ONE}`);
  return rows.map(({ id, name, region_id: regionId, updated_at: since, status, status_reason: why }) => ({
    kind: 'volume',
    id,
    name,
    regionId,
    since,
    severity: 'failed' as const,
    reason:
      why ??
      (status === 'error_restoring'
        ? 'It could not be reverted: revert it again, or delete it'
        : 'It may not be whole: delete it'),
  }));
};

const snapshotsOf: AttentionSource = async (db, { projectId }) => {
  const rows = await db.rows<{
    id: string;
    name: string;
    region_id: number;
    updated_at: Date;
    status_reason: string | null;
  }>(sql`select id, name, region_id, updated_at, status_reason from volume_snapshots
      where project_id = ${projectId} and status like 'error%' order by updated_at limit ${MOST_OF_ONE}`);
  return rows.map(({ id, name, region_id: regionId, updated_at: since, status_reason: why }) => ({
    kind: 'snapshot',
    id,
    name,
    regionId,
    since,
    severity: 'failed' as const,
    reason: why ?? 'It may not be whole: delete it',
  }));
};
