import type { Condition, Watchable } from '../../kernel/condition.ts';
import { recordRepair } from '../audit/audit.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import type { BackgroundJob } from '../feature.ts';
import type { DriftOptions } from './reconciler.ts';
import { watchJob } from './watch.ts';

interface Row {
  readonly id: string;
  /** Null: it belongs to the region. */
  readonly project_id: number | null;
  readonly status_reason: string | null;
}

export interface Conditioned {
  readonly table: string;
  /** One of them: `volume`. */
  readonly noun: string;
  /** What its status is while it is well. */
  readonly well: readonly string[];
  /** SQL of which of these it is. */
  readonly isWell: Sql;
  watchableOf(regionId: number): Watchable | undefined;
}

/** Says of what a region keeps when it is lost or of no use there, and when it is well again. Tasks say so of what they
 *  work on; what they have left in an error of their own is not touched. */
export function conditionWatch(options: DriftOptions, of: Conditioned): BackgroundJob {
  const { noun, watchableOf } = of;
  const [table, article] = [raw(of.table), /^[aeiou]/.test(noun) ? 'an' : 'a'];
  const watched = sql`task_id is null
    and (status = any(${of.well}::text[]) or status_reason is not null)`;
  return watchJob<Row, Condition>(options, {
    noun: `${noun}s`,
    providerOf: watchableOf,
    readAll: (regionId) =>
      options.db.rows<Row>(sql`select id, project_id, status_reason from ${table}
        where region_id = ${regionId} and ${watched}`),
    async note({ id, project_id: projectId, status_reason: before }, { failed }, regionId) {
      if (failed === before) return;
      const { db, clock, log } = options;
      const at = clock.timestamp();
      const status = failed === null ? of.isWell : sql`'error'`;
      const isChanged = await db.any(sql`
        update ${table} set status = ${status}, status_reason = ${failed}, updated_at = ${at}
         where id = ${id} and ${watched} and status_reason is not distinct from ${before} returning id`);
      if (!isChanged) return;
      const what = failed ?? 'it is well again in the cloud';
      log.warn({ [noun]: id, regionId }, `${article} ${noun} was changed in the cloud: ${what}`);
      await recordRepair(db, { at, action: `note_${noun}`, subject: id, regionId, projectId, what });
    },
  });
}
