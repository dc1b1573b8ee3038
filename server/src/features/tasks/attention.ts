import { type AttentionSource, MOST_OF_ONE } from '../../platform/attention/source.ts';

/** Tasks that failed, and that nobody has acknowledged. */
export const tasksInNeed: AttentionSource = async (db, { clientId, projectId }) => {
  const rows = await db.named<{
    id: string;
    type: string;
    region_id: number | null;
    finished_at: Date;
    error: string | null;
    subject_name: string;
  }>(
    'tasks_attention',
    `select id, type, region_id, finished_at, error, subject_name from tasks
      where client_id = $1 and project_id = $2 and state = 'ERROR' and acknowledged_at is null
        and finished_at is not null
      order by finished_at desc, id limit $3`,
    [clientId, projectId, MOST_OF_ONE],
  );
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
