import type { Queryable, Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scope } from '../../../platform/http/context.ts';
import type { Schedule } from './model.ts';

/** The schedules of a policy, which is locked. */

/** A schedule `s` as a value of JSON. */
export const SCHEDULE = sql`jsonb_build_object('id', s.id, 'timing', s.timing, 'maxQuantity', s.max_quantity,
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
    await tx.run(sql`insert into lifecycle_schedules (id, policy_id, position, timing, max_quantity, retention_time, name_template,
              counted_from, next_run_at)
       values (${schedule.id}, ${policyId}, (select coalesce(max(position), 0) + 1 from lifecycle_schedules where policy_id = ${policyId}), ${JSON.stringify(schedule.timing)}, ${schedule.maxQuantity}, ${schedule.retentionTime && JSON.stringify(schedule.retentionTime)},
               ${schedule.nameTemplate}, ${schedule.countedFrom}, ${schedule.nextRunAt})`);
  }
}

/** In their order. None begins a run before the transaction ends. */
export async function lockSchedules(tx: Tx, policyId: number): Promise<Schedule[]> {
  return tx.rows<Schedule>(sql`select id, timing, max_quantity as "maxQuantity", retention_time as "retentionTime",
            name_template as "nameTemplate"
       from lifecycle_schedules where policy_id = ${policyId} order by position for update`);
}

/** The policy of a schedule. @returns undefined when the project has no such schedule there */
export async function policyOf(db: Queryable, id: string, scope: Scope): Promise<number | undefined> {
  const row = await db.row<{
    policy_id: number;
  }>(sql`select s.policy_id from lifecycle_schedules s join lifecycle_policies p on p.id = s.policy_id
      where s.id = ${id} and p.project_id = ${scope.projectId} and p.region_id = ${scope.regionId}`);
  return row?.policy_id;
}

/** When it runs stays, see `setNextRun`. */
export async function changeSchedule(tx: Tx, { id, ...schedule }: Schedule): Promise<void> {
  await tx.run(sql`update lifecycle_schedules set timing = ${JSON.stringify(schedule.timing)}, max_quantity = ${schedule.maxQuantity}, retention_time = ${schedule.retentionTime && JSON.stringify(schedule.retentionTime)}, name_template = ${schedule.nameTemplate}
      where id = ${id}`);
}

/** From when a schedule's intervals are counted, and when it runs next; null: its policy is paused. */
export async function setNextRun(
  tx: Tx,
  { id, countedFrom, nextRunAt }: Pick<NewSchedule, 'id' | 'countedFrom' | 'nextRunAt'>,
): Promise<void> {
  await tx.run(
    sql`update lifecycle_schedules set counted_from = ${countedFrom}, next_run_at = ${nextRunAt} where id = ${id}`,
  );
}

/** What is due is made no more. */
export async function dropRuns(tx: Tx, policyId: number): Promise<void> {
  await tx.run(
    sql`delete from lifecycle_runs r using lifecycle_schedules s where s.policy_id = ${policyId} and r.schedule_id = s.id`,
  );
}

/** Its snapshots stay. */
export async function deleteSchedules(tx: Tx, policyId: number, ids: readonly string[]): Promise<void> {
  await tx.run(
    sql`delete from lifecycle_schedules where policy_id = ${policyId} and id = any(${ids}::uuid[])`,
  );
}
