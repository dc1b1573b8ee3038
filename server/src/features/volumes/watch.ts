import { recordRepair } from '../../platform/audit/audit.ts';
import { sql } from '../../platform/database/sql.ts';
import type { DriftOptions } from '../../platform/drift/reconciler.ts';
import { watchJob } from '../../platform/drift/watch.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import type { VolumeProvider } from './port.ts';

interface Row {
  readonly id: string;
  readonly project_id: number;
}

/** Says of volumes that they are lost, where somebody else can delete them, too. */
export const volumeWatch = (
  options: DriftOptions & { providerOf(regionId: number): VolumeProvider | undefined },
): BackgroundJob =>
  watchJob<Row, { readonly failed: string }>(options, {
    noun: 'volumes',
    providerOf: options.providerOf,
    readAll: (regionId) =>
      options.db.rows<Row>(sql`select id, project_id from volumes
          where region_id = ${regionId} and task_id is null and status in ('available', 'in-use')`),
    async note({ id, project_id: projectId }, { failed: what }, regionId) {
      const { db, clock, log } = options;
      const at = clock.timestamp();
      const changed = await db.row<{ id: string }>(sql`
        update volumes set status = 'error', status_reason = ${what}, updated_at = ${at}
         where id = ${id} and task_id is null and status in ('available', 'in-use') returning id`);
      if (!changed) return;
      log.warn({ volume: id, regionId }, `a volume was lost in the cloud: ${what}`);
      await recordRepair(db, { at, action: 'note_volume', subject: id, regionId, projectId, what });
    },
  });
