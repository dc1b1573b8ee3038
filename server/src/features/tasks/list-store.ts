import type { Db } from '../../platform/database/db.ts';
import { inScope, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { ActiveTasksQuery, TaskFilter, TaskListQuery } from './schema.ts';
import { COLUMNS, type TaskRow } from './store.ts';

/** A page of the client's tasks, and how many match in all. */
export function listTasks(db: Db, clientId: number, query: TaskListQuery): Promise<Page<TaskRow>> {
  const direction = query.order_by === 'asc' ? 'asc' : 'desc';
  return tasksPage(db, [sql`client_id = ${clientId}::int`, ...conditionsOf(query)], direction, query);
}

/** A page of the tasks of a project and region that have not ended. */
export function listActiveTasks(
  db: Db,
  projectId: number,
  regionId: number,
  query: ActiveTasksQuery,
): Promise<Page<TaskRow>> {
  const { task_type: types } = query;
  const where = [inScope({ projectId, regionId }), sql`finished_at is null`];
  if (types !== undefined) where.push(sql`type = any(${[...types]}::text[])`);
  return tasksPage(db, where, 'desc', query);
}

const tasksPage = (db: Db, where: readonly Sql[], direction: 'asc' | 'desc', { limit, offset }: Paging) =>
  listPage<TaskRow>(db, {
    table: 'tasks',
    alias: 't',
    columns: COLUMNS,
    where,
    order: `created_at ${direction}, id ${direction}`,
    limit,
    offset,
  });

function conditionsOf(query: TaskFilter): Sql[] {
  const { project_id: projects, region_id: regions, state: states, task_type: type } = query;
  const { is_acknowledged: acknowledged, from_timestamp: from, to_timestamp: to } = query;
  const found: Sql[] = [];
  if (projects !== undefined) found.push(sql`project_id = any(${[...projects]}::int[])`);
  if (regions !== undefined) found.push(sql`region_id = any(${[...regions]}::int[])`);
  if (states !== undefined) found.push(sql`state = any(${[...states]}::text[])`);
  if (type !== undefined) found.push(sql`type = ${type}`);
  if (acknowledged !== undefined)
    found.push(acknowledged ? sql`acknowledged_at is not null` : sql`acknowledged_at is null`);
  if (from !== undefined) found.push(sql`created_at >= ${from}::timestamptz`);
  if (to !== undefined) found.push(sql`created_at <= ${to}::timestamptz`);
  return found;
}
