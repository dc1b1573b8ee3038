import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';

/** Volumes that may not be whole. */
export const volumesInNeed: AttentionSource = async (db, { projectId }) => {
  const rows = await db.named<{
    id: string;
    name: string;
    region_id: number;
    updated_at: Date;
    status: string;
  }>(
    'volumes_attention',
    `select id, name, region_id, updated_at, status from volumes
      where project_id = $1 and status like 'error%' order by updated_at limit $2`,
    [projectId, MOST_OF_ONE],
  );
  return rows.map(({ id, name, region_id: regionId, updated_at: since, status }) => ({
    kind: 'volume',
    id,
    name,
    regionId,
    since,
    severity: 'failed' as const,
    reason:
      status === 'error_restoring'
        ? 'It could not be reverted: revert it again, or delete it'
        : 'It may not be whole: delete it',
  }));
};
