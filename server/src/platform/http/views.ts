import { offsetTime } from '../../kernel/codecs.ts';

interface Changed {
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What answers show of each change of a resource. In a literal it comes last, see `pick`. */
export const viewChanges = (row: Changed) => ({
  task_id: row.task_id,
  creator_task_id: row.creator_task_id,
  created_at: offsetTime(row.created_at),
  updated_at: offsetTime(row.updated_at),
});
