import { raw, sql } from '../database/sql.ts';
import { type AttentionSource, MOST_OF_ONE } from './source.ts';

export const NOT_WHOLE = 'It may not be whole: delete it';

/** Those of a table whose status is an error.
 *  @param advice what is said of one of which no reason is known, by its status */
export const failedIn =
  (kind: string, table: string, advice: (status: string) => string = () => NOT_WHOLE): AttentionSource =>
  async (db, { projectId }) => {
    const rows = await db.rows<{
      id: string;
      name: string;
      region_id: number;
      updated_at: Date;
      status: string;
      status_reason: string | null;
    }>(sql`select id, name, region_id, updated_at, status, status_reason from ${raw(table)}
        where project_id = ${projectId} and status like 'error%' order by updated_at limit ${MOST_OF_ONE}`);
    return rows.map(({ id, name, region_id: regionId, updated_at: since, status, status_reason: why }) => ({
      kind,
      id,
      name,
      regionId,
      since,
      severity: 'failed' as const,
      reason: why ?? advice(status),
    }));
  };
