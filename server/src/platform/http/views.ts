import { offsetTime } from '../../kernel/codecs.ts';
import type { CHANGE_COLUMNS, RowOf } from '../database/rows.ts';

/** What answers show of each change of a resource. In a literal it comes last, see `pick`. */
export const viewChanges = (row: RowOf<'networks', typeof CHANGE_COLUMNS>) => ({
  task_id: row.task_id,
  creator_task_id: row.creator_task_id,
  created_at: offsetTime(row.created_at),
  updated_at: offsetTime(row.updated_at),
});

/** What is shown of a resource: where it is, and then what else it is. */
export const viewScoped = <
  Row extends { readonly id: string; readonly project_id: number | null; readonly region_id: number },
  Shown extends object,
>(
  row: Row,
  region: string,
  shown: Shown,
) => ({
  id: row.id,
  project_id: row.project_id as Row['project_id'],
  region_id: row.region_id,
  region,
  ...shown,
});
