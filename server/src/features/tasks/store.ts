import type { Moment } from '../../kernel/codecs.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { JsonRows } from '../../platform/database/json-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Created } from '../../platform/tasks/created-resources.ts';
import type { TaskState } from '../../platform/tasks/queue.ts';
import type { AcknowledgeTasksQuery } from './schema.ts';

export const NAMES = [
  'id',
  'client_id',
  'project_id',
  'region_id',
  'user_id',
  'type',
  'state',
  'data',
  'error',
  'created_resources',
  'progress',
  'step',
  'request_id',
  'subject_id',
  'subject_name',
  'parent_id',
  'parent_name',
  'created_at',
  'updated_at',
  'finished_at',
  'acknowledged_at',
  'acknowledged_by',
] as const;
export const COLUMNS = listOf(NAMES);

export type TaskRow = RowOf<
  'tasks',
  typeof NAMES,
  {
    state: TaskState;
    data: unknown;
    /** Only kinds of which something was created. */
    created_resources: Created | null;
    created_at: Moment;
    updated_at: Moment;
    finished_at: Moment | null;
    acknowledged_at: Moment | null;
  }
>;

const ROWS = new JsonRows<TaskRow>(NAMES, ['created_at', 'updated_at', 'finished_at', 'acknowledged_at']);

/** Those of these tasks that there are, of whichever client. */
export async function readTasks(db: Db, ids: readonly string[]): Promise<TaskRow[]> {
  const found = await db.rows<{ row: readonly unknown[] }>(
    sql`select ${ROWS.sql} as row from tasks r where id = any(${ids}::uuid[])`,
  );
  return found.map(({ row }) => ROWS.read(row));
}

export interface Acknowledgement {
  readonly clientId: number;
  readonly userId: number;
  readonly timestamp: string;
}

/** Keeps the first acknowledgement of a task that has one. */
export async function acknowledge(tx: Tx, id: string, by: Acknowledgement): Promise<TaskRow | undefined> {
  await tx.run(sql`update tasks t set acknowledged_at = ${by.timestamp}, acknowledged_by = ${by.userId}, change = next_task_change()
      where id = ${id} and client_id = ${by.clientId} and acknowledged_at is null`);
  return tx.row<TaskRow>(sql`select ${COLUMNS} from tasks where id = ${id} and client_id = ${by.clientId}`);
}

/** Acknowledges some of the tasks that have ended and are not acknowledged yet.
 *  @returns how many, at most `limit` */
export async function acknowledgeSome(
  db: Db,
  by: Acknowledgement,
  scope: AcknowledgeTasksQuery & { readonly ids?: readonly string[] | undefined },
  limit: number,
): Promise<number> {
  return db.number(sql`with changed as (
       update tasks t set acknowledged_at = ${by.timestamp}, acknowledged_by = ${by.userId}, change = next_task_change()
         from (select id, finished_at from tasks
                where client_id = ${by.clientId} and acknowledged_at is null and finished_at is not null
                  and created_at <= ${by.timestamp}::timestamptz
                  and (${scope.project_id ?? null}::int is null or project_id = ${scope.project_id ?? null}) and (${scope.region_id ?? null}::int is null or region_id = ${scope.region_id ?? null})
                  and (${scope.ids ?? null}::uuid[] is null or id = any(${scope.ids ?? null}))
                order by created_at desc, id desc limit ${limit}) chosen
        where t.id = chosen.id and t.finished_at = chosen.finished_at and t.acknowledged_at is null
       returning 1)
     select count(*) as count from changed`);
}
