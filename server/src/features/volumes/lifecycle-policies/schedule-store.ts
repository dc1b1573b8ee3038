import type { Queryable, Tx } from '../../../platform/database/db.ts';
import type { Place } from '../../../platform/http/context.ts';
import type { Schedule } from './model.ts';

/** The schedules of a policy, which is locked. */

/** A schedule `s` as a value of JSON. */
export const SCHEDULE = `jsonb_build_object('id', s.id, 'timing', s.timing, 'maxQuantity', s.max_quantity,
  'retentionTime', s.retention_time, 'nameTemplate', s.name_template)`;

export interface NewSchedule extends Schedule {
  /** From when intervals are counted. */
  readonly countedFrom: Date;
  /** null: the policy is paused. */
  readonly nextRunAt: Date | null;
}

/** Puts them behind those that are there. */
export async function insertSchedules(
  tx: Tx,
  policyId: number,
  schedules: readonly NewSchedule[],
): Promise<void> {
  for (const schedule of schedules) {
    await tx.named(
      'lifecycle_schedule_insert',
      `insert into lifecycle_schedules (id, policy_id, position, timing, max_quantity, retention_time, name_template,
              counted_from, next_run_at)
       values ($1, $2, (select coalesce(max(position), 0) + 1 from lifecycle_schedules where policy_id = $2), $3, $4, $5,
               $6, $7, $8)`,
      [
        schedule.id,
        policyId,
        JSON.stringify(schedule.timing),
        schedule.maxQuantity,
        schedule.retentionTime && JSON.stringify(schedule.retentionTime),
        schedule.nameTemplate,
        schedule.countedFrom,
        schedule.nextRunAt,
      ],
    );
  }
}

/** In their order. None begins a run before the transaction ends. */
export async function lockSchedules(tx: Tx, policyId: number): Promise<Schedule[]> {
  return tx.named<Schedule>(
    'lifecycle_schedules_lock',
    `select id, timing, max_quantity as "maxQuantity", retention_time as "retentionTime",
            name_template as "nameTemplate"
       from lifecycle_schedules where policy_id = $1 order by position for update`,
    [policyId],
  );
}

/** The policy of a schedule. @returns undefined when the project has no such schedule there */
export async function policyOf(db: Queryable, id: string, place: Place): Promise<number | undefined> {
  const row = await db.namedRow<{ policy_id: number }>(
    'lifecycle_schedule_policy',
    `select s.policy_id from lifecycle_schedules s join lifecycle_policies p on p.id = s.policy_id
      where s.id = $1 and p.project_id = $2 and p.region_id = $3`,
    [id, place.projectId, place.regionId],
  );
  return row?.policy_id;
}

/** When it runs stays, see `setNextRun`. */
export async function changeSchedule(tx: Tx, { id, ...schedule }: Schedule): Promise<void> {
  await tx.named(
    'lifecycle_schedule_change',
    `update lifecycle_schedules set timing = $2, max_quantity = $3, retention_time = $4, name_template = $5
      where id = $1`,
    [
      id,
      JSON.stringify(schedule.timing),
      schedule.maxQuantity,
      schedule.retentionTime && JSON.stringify(schedule.retentionTime),
      schedule.nameTemplate,
    ],
  );
}

/** From when a schedule's intervals are counted, and when it runs next; null: its policy is paused. */
export async function setNextRun(
  tx: Tx,
  { id, countedFrom, nextRunAt }: Pick<NewSchedule, 'id' | 'countedFrom' | 'nextRunAt'>,
): Promise<void> {
  await tx.named(
    'lifecycle_schedule_next_run',
    'update lifecycle_schedules set counted_from = $2, next_run_at = $3 where id = $1',
    [id, countedFrom, nextRunAt],
  );
}

/** What is due is made no more. */
export async function dropRuns(tx: Tx, policyId: number): Promise<void> {
  await tx.named(
    'lifecycle_runs_drop',
    `delete from lifecycle_runs r using lifecycle_schedules s where s.policy_id = $1 and r.schedule_id = s.id`,
    [policyId],
  );
}

/** Its snapshots stay. */
export async function deleteSchedules(tx: Tx, policyId: number, ids: readonly string[]): Promise<void> {
  await tx.named(
    'lifecycle_schedules_delete',
    'delete from lifecycle_schedules where policy_id = $1 and id = any($2::uuid[])',
    [policyId, ids],
  );
}
