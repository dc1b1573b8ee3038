import { type SelectQueryBuilder, sql } from 'kysely';
import type { Moment } from '../../kernel/codecs.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { JsonRows } from '../../platform/database/json-rows.ts';
import type { DB } from '../../platform/database/schema.gen.ts';
import type { AcknowledgeAllQuery, ActiveTasksQuery, TaskListQuery, TaskStreamQuery } from './schema.ts';

export interface TaskRow {
  readonly id: string;
  readonly client_id: number;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly user_id: number;
  readonly type: string;
  readonly state: 'NEW' | 'RUNNING' | 'FINISHED' | 'ERROR';
  readonly data: unknown;
  readonly error: string | null;
  readonly created_resources: Record<string, (string | number)[]> | null;
  readonly progress: number;
  readonly step: string | null;
  readonly request_id: string | null;
  readonly created_at: Moment;
  readonly updated_at: Moment;
  readonly finished_at: Moment | null;
  readonly acknowledged_at: Moment | null;
  readonly acknowledged_by: number | null;
}

const NAMES = [
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
  'created_at',
  'updated_at',
  'finished_at',
  'acknowledged_at',
  'acknowledged_by',
] as const;
const COLUMNS = NAMES.join(', ');

const ROWS = new JsonRows<TaskRow>(NAMES, ['created_at', 'updated_at', 'finished_at', 'acknowledged_at']);

/** Those of these tasks that there are, of whichever client. */
export async function readTasks(db: Db, ids: readonly string[]): Promise<TaskRow[]> {
  const found = await db.named<{ row: readonly unknown[] }>(
    'task_get',
    `select ${ROWS.sql} as row from tasks r where id = any($1::uuid[])`,
    [ids],
  );
  return found.map(({ row }) => ROWS.read(row));
}

type Tasks = SelectQueryBuilder<DB, 'tasks', object>;

export async function listTasks(db: Db, clientId: number, query: TaskListQuery) {
  const direction = query.order_by ?? 'desc';
  const base = db.kysely
    .selectFrom('tasks')
    .where('client_id', '=', clientId)
    .$if(query.project_id !== undefined, (q) => q.where('project_id', 'in', query.project_id ?? []))
    .$if(query.region_id !== undefined, (q) => q.where('region_id', 'in', query.region_id ?? []))
    .$if(query.state !== undefined, (q) => q.where('state', 'in', query.state ?? []))
    .$if(query.task_type !== undefined, (q) => q.where('type', '=', query.task_type ?? ''))
    .$if(query.is_acknowledged === true, (q) => q.where('acknowledged_at', 'is not', null))
    .$if(query.is_acknowledged === false, (q) => q.where('acknowledged_at', 'is', null))
    .$if(query.from_timestamp !== undefined, (q) =>
      q.where('created_at', '>=', sql<Date>`${query.from_timestamp}::timestamptz`),
    )
    .$if(query.to_timestamp !== undefined, (q) =>
      q.where('created_at', '<=', sql<Date>`${query.to_timestamp}::timestamptz`),
    );
  return page(base, direction, query.limit ?? 1000, query.offset ?? 0);
}

export async function listActiveTasks(db: Db, projectId: number, regionId: number, query: ActiveTasksQuery) {
  const base = db.kysely
    .selectFrom('tasks')
    .where('project_id', '=', projectId)
    .where('region_id', '=', regionId)
    .where('state', 'in', ['NEW', 'RUNNING'])
    .$if(query.task_type !== undefined, (q) => q.where('type', 'in', query.task_type ?? []));
  return page(base, 'desc', query.limit ?? 10, query.offset ?? 0);
}

async function page(base: Tasks, direction: 'asc' | 'desc', limit: number, offset: number) {
  const [results, total] = await Promise.all([
    base
      .select(NAMES)
      .orderBy('created_at', direction)
      .orderBy('id', direction)
      .limit(limit)
      .offset(offset)
      .execute(),
    base.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return { count: total.count, results: results as unknown as TaskRow[] };
}

export interface Acknowledgement {
  readonly clientId: number;
  readonly userId: number;
  readonly timestamp: string;
}

/** Keeps the first acknowledgement of a task that has one. */
export async function acknowledge(tx: Tx, id: string, by: Acknowledgement): Promise<TaskRow | undefined> {
  const [row] = await tx.named<TaskRow>(
    'task_acknowledge',
    `update tasks set acknowledged_at = coalesce(acknowledged_at, $3), acknowledged_by = coalesce(acknowledged_by, $4)
      where id = $1 and client_id = $2 returning ${COLUMNS}`,
    [id, by.clientId, by.timestamp, by.userId],
  );
  return row;
}

export async function acknowledgeAll(tx: Tx, by: Acknowledgement, scope: AcknowledgeAllQuery): Promise<void> {
  await tx.named(
    'task_acknowledge_all',
    `update tasks set acknowledged_at = $2, acknowledged_by = $3
      where client_id = $1 and acknowledged_at is null and state in ('FINISHED', 'ERROR')
        and ($4::int is null or project_id = $4) and ($5::int is null or region_id = $5)`,
    [by.clientId, by.timestamp, by.userId, scope.project_id ?? null, scope.region_id ?? null],
  );
}

/** A place in the order of changes: the transaction, then the task. */
export interface Position {
  readonly xid: string;
  readonly id: string;
}

export interface ChangedTask extends TaskRow {
  readonly changed_xid: string;
}

/** Where the order of changes ends now: everything that commits later lies behind it. */
export async function currentPosition(db: Db): Promise<Position> {
  const [row] = await db.named<{ xid: string }>(
    'task_position',
    'select (pg_snapshot_xmin(pg_current_snapshot())::text::numeric - 1)::text as xid',
    [],
  );
  return { xid: row?.xid ?? '0', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
}

/** The client's tasks that changed after a position, as they are now, in order. What a transaction that still
 *  runs has changed, and what came after it, is left for the next time, so that nothing is ever skipped. */
export async function changedTasks(
  db: Db,
  clientId: number,
  after: Position,
  query: TaskStreamQuery,
): Promise<ChangedTask[]> {
  return db.named<ChangedTask>(
    'task_changes',
    `select ${COLUMNS}, changed_xid::text as changed_xid from tasks
      where (changed_xid, id) > ($2::text::xid8, $3::uuid) and changed_xid < pg_snapshot_xmin(pg_current_snapshot())
        and client_id = $1 and ($4::int[] is null or project_id = any($4)) and ($5::int[] is null or region_id = any($5))
        and ($6::text[] is null or state = any($6))
      order by changed_xid, id limit 500`,
    [clientId, after.xid, after.id, query.project_id ?? null, query.region_id ?? null, query.state ?? null],
  );
}
