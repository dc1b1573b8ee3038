import type { Db, Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { PolicyRow, Schedule } from './model.ts';
import { SCHEDULE } from './schedule-store.ts';

/** What is due of schedules: their next run, the snapshots of a run, and snapshots that have expired. */

export interface DueSchedule extends Pick<Schedule, 'id' | 'timing'> {
  readonly policy_id: number;
  readonly counted_from: Date;
}

/** Schedules whose time has come, locked; those that somebody else works on are passed over. */
export async function lockDueSchedules(tx: Tx, now: Date, limit: number): Promise<DueSchedule[]> {
  return tx.rows<DueSchedule>(sql`select id, policy_id, timing, counted_from from lifecycle_schedules
      where next_run_at <= ${now} order by next_run_at limit ${limit} for update skip locked`);
}

/** A snapshot of each volume is to be made. One that is still to be made from the last time is made once. */
export async function insertRuns(tx: Tx, { id, policy_id }: DueSchedule, now: Date): Promise<void> {
  await tx.run(sql`insert into lifecycle_runs (schedule_id, volume_id, try_at)
     select ${id}, volume_id, ${now} from lifecycle_policy_volumes where policy_id = ${policy_id}
     on conflict do nothing`);
}

/** Whose policy something is done for, and where. */
const FOR = sql`p.id as policy_id, p.name as policy_name, p.project_id, p.client_id, p.user_id, r.id as region_id,
  r.display_name as region_name, r.state as region_state`;

export interface ActingFor extends Pick<PolicyRow, 'project_id' | 'client_id' | 'user_id'> {
  readonly policy_id: number;
  readonly policy_name: string;
  readonly region_id: number;
  readonly region_name: string;
  readonly region_state: string;
}

export interface DueRun extends ActingFor {
  readonly volume_id: string;
  readonly schedule: Schedule;
}

/** Snapshots that are to be made, the longest due first. */
export async function readDueRuns(db: Db, now: Date, limit: number): Promise<DueRun[]> {
  return db.rows<DueRun>(sql`select ${FOR}, d.volume_id, ${SCHEDULE} as schedule
       from lifecycle_runs d join lifecycle_schedules s on s.id = d.schedule_id
       join lifecycle_policies p on p.id = s.policy_id join regions r on r.id = p.region_id
      where d.try_at <= ${now} order by d.try_at limit ${limit}`);
}

/** It is made, or never will be.
 *  @returns false when somebody else has made it, or it is no longer to be made */
export async function endRun(tx: Tx, { schedule, volume_id }: DueRun): Promise<boolean> {
  return tx.any(
    sql`delete from lifecycle_runs where schedule_id = ${schedule.id} and volume_id = ${volume_id} returning 1`,
  );
}

/** It could not be made, and is tried again. */
export async function putOffRun(
  db: Db,
  { schedule, volume_id }: DueRun,
  tryAt: Date,
  refusal: string,
): Promise<void> {
  await db.run(
    sql`update lifecycle_runs set try_at = ${tryAt}, refusal = ${refusal} where schedule_id = ${schedule.id} and volume_id = ${volume_id}`,
  );
}

/** Of the snapshots of a volume, the schedule keeps the last ones: the others expire. */
export async function expireSurplus(
  tx: Tx,
  scheduleId: string,
  volumeId: string,
  timestamp: string,
): Promise<void> {
  await tx.run(sql`update volume_snapshots set expires_at = ${timestamp} where (expires_at is null or expires_at > ${timestamp}) and id in (
       select s.id from volume_snapshots s join lifecycle_schedules l on l.id = s.schedule_id
        where s.schedule_id = ${scheduleId} and s.volume_id = ${volumeId} and s.status = 'available'
        order by s.created_at desc, s.id desc
       offset (select coalesce(max(max_quantity), 0) from lifecycle_schedules where id = ${scheduleId}))`);
}

export interface Expired extends ActingFor {
  readonly id: string;
}

/** Snapshots that have expired and that no task holds. Those of schedules that are gone stay. */
export async function readExpired(db: Db, now: Date, limit: number): Promise<Expired[]> {
  return db.rows<Expired>(sql`select ${FOR}, v.id
       from volume_snapshots v join lifecycle_schedules s on s.id = v.schedule_id
       join lifecycle_policies p on p.id = s.policy_id join regions r on r.id = p.region_id
      where v.expires_at <= ${now} and v.status in ('available', 'error') and v.task_id is null
      order by v.expires_at limit ${limit}`);
}

/** Looks at an expired snapshot again later. */
export async function putOffExpiry(db: Db, id: string, at: Date): Promise<void> {
  await db.run(sql`update volume_snapshots set expires_at = ${at} where id = ${id}`);
}
