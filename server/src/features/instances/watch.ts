import { recordRepair } from '../../platform/audit/audit.ts';
import { sql } from '../../platform/database/sql.ts';
import type { DriftOptions } from '../../platform/drift/reconciler.ts';
import { watchJob } from '../../platform/drift/watch.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import { type Power, restingState, type Status } from './model.ts';
import type { InstanceProvider, SeenInstance } from './port.ts';

interface Row {
  readonly id: string;
  readonly project_id: number;
  readonly status: Status;
  readonly power: Power;
  readonly status_reason: string | null;
}

/** What an instance is from now on. */
interface Noted {
  readonly status: Status;
  readonly vmState: string;
  readonly power: Power;
  readonly reason: string | null;
}

/** Says of instances what they are where somebody else can stop, break and delete them, too. */
export const instanceWatch = (
  options: DriftOptions & { providerOf(regionId: number): InstanceProvider | undefined },
): BackgroundJob =>
  watchJob<Row, SeenInstance>(options, {
    noun: 'instances',
    providerOf: options.providerOf,
    readAll: (regionId) =>
      options.db.rows<Row>(sql`select id, project_id, status, power, status_reason from instances
          where region_id = ${regionId} and task_id is null and cluster_id is null`),
    async note(row, seen, regionId) {
      const noted = notedOf(row, seen);
      if (!noted) return;
      const { db, clock, log } = options;
      const { id, project_id: projectId } = row;
      const { status, vmState, power, reason } = noted;
      const at = clock.timestamp();
      const changed = await db.row<{ id: string }>(sql`
        update instances set status = ${status}, vm_state = ${vmState}, power = ${power}, status_reason = ${reason},
               updated_at = ${at}, status_since = case when status = ${status} then status_since else ${at} end
         where id = ${id} and task_id is null and status = ${row.status} and power = ${row.power} returning id`);
      if (!changed) return;
      const what = reason ?? `it is ${status} in the cloud`;
      log.warn({ instance: id, regionId }, `an instance was changed in the cloud: ${what}`);
      await recordRepair(db, { at, action: 'note_instance', subject: id, regionId, projectId, what });
    },
  });

/** undefined: nothing new. */
function notedOf({ status, power, status_reason: reason }: Row, seen: SeenInstance): Noted | undefined {
  if ('failed' in seen) {
    if (status === 'ERROR' && reason === seen.failed) return undefined;
    return { status: 'ERROR', vmState: 'error', power, reason: seen.failed };
  }
  // What a task could not do is not undone by what the cloud says; what the cloud had said is.
  const isOwnError = status === 'ERROR' && reason === null;
  const resting = restingState(seen.power);
  if (isOwnError || (seen.power === power && resting.status === status)) return undefined;
  return Object.assign({ power: seen.power, reason: null }, resting);
}
