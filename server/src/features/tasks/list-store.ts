import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/schema.gen.ts';
import { countTasks, type DayCount, days } from './counts.ts';
import type { ActiveTasksQuery, TaskListQuery } from './schema.ts';
import { NAMES, type TaskRow } from './store.ts';

/** An offset from which on whole days are passed over by their counts. */
const DEEP = 2000;

type Tasks = SelectQueryBuilder<DB, 'tasks', object>;

/** A page of the client's tasks. The count is known without counting what has ended, and decides what is looked for:
 *  a page beyond the last task is empty at once, and one with the last of them ends there. */
export async function listTasks(db: Db, clientId: number, query: TaskListQuery) {
  const { offset, order_by: direction } = query;
  const count = await countTasks(db, clientId, query);
  const limit = Math.min(query.limit, count - offset);
  if (limit <= 0) return { count, results: [] };
  const from = await whereToBegin(db, clientId, query, offset);
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
    )
    .$if(from.where !== undefined, (q) => q.where(from.where ?? sql<boolean>`true`));
  return { count, results: await page(base, direction, limit, from.offset) };
}

interface Begin {
  readonly where: RawBuilder<boolean> | undefined;
  readonly offset: number;
}

/** Far down a list, days before the page are passed over by their counts. What is created meanwhile moves pages, as
 *  it always does. */
async function whereToBegin(db: Db, clientId: number, query: TaskListQuery, offset: number): Promise<Begin> {
  const near = { where: undefined, offset };
  if (offset < DEEP || query.from_timestamp !== undefined || query.to_timestamp !== undefined) return near;
  const counts = await days(db, clientId, query);
  if (counts === undefined) return near;
  const descending = query.order_by !== 'asc';
  const inOrder = descending ? [...counts].reverse() : counts;
  let passed = 0;
  for (const { day, count } of inOrder) {
    if (passed + count > offset) return { where: fromDay(day, descending), offset: offset - passed };
    passed += count;
  }
  return near;
}

const fromDay = (day: DayCount['day'], descending: boolean): RawBuilder<boolean> =>
  descending
    ? sql<boolean>`created_at < (${day}::date + 1)::timestamp at time zone 'UTC'`
    : sql<boolean>`created_at >= ${day}::date::timestamp at time zone 'UTC'`;

/** A page of the tasks of a project and region that have not ended: there are never many. */
export async function listActiveTasks(db: Db, projectId: number, regionId: number, query: ActiveTasksQuery) {
  const base = db.kysely
    .selectFrom('tasks')
    .where('project_id', '=', projectId)
    .where('region_id', '=', regionId)
    .where('finished_at', 'is', null)
    .$if(query.task_type !== undefined, (q) => q.where('type', 'in', query.task_type ?? []));
  const [results, total] = await Promise.all([
    page(base, 'desc', query.limit, query.offset),
    base.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return { count: total.count, results };
}

async function page(base: Tasks, direction: 'asc' | 'desc', limit: number, offset: number) {
  const rows = await base
    .select(NAMES)
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as unknown as TaskRow[];
}
