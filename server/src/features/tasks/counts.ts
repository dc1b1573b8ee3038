import { type RawBuilder, sql } from 'kysely';
import { readTime } from '../../kernel/codecs.ts';
import type { Db } from '../../platform/database/db.ts';
import { moment } from '../../platform/database/moment.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import type { TaskFilter } from './schema.ts';

/** Counts of lists of tasks. Those that have not ended are few and counted. Those that have are in `task_counts`, by
 *  several groupings, and the newest in `task_count_changes`. One statement sees all of them at one moment, so that
 *  counts are exact. */

const FOLD_EVERY_MS = 2000;

/** Brings changes into the counts. */
export function foldJob(db: Db): BackgroundJob {
  return {
    ...{ name: 'task-counts', everyMs: FOLD_EVERY_MS, exclusive: true },
    run: async () => {
      await db.named('task_counts_fold', 'select fold_task_counts()', []);
    },
  };
}

type Condition = RawBuilder<boolean>;

const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join([...conditions], sql` and `)}`;

/** What the query says of columns that tasks and their counts have both. */
function sharedConditions(clientId: number, query: TaskFilter): Condition[] {
  const { project_id: projects, region_id: regions, state, task_type: type } = query;
  return [
    sql<boolean>`client_id = ${clientId}`,
    ...(projects ? [sql<boolean>`project_id = any(${projects}::int[])`] : []),
    ...(regions ? [sql<boolean>`region_id = any(${regions}::int[])`] : []),
    ...(state ? [sql<boolean>`state = any(${state}::text[])`] : []),
    ...(type === undefined ? [] : [sql<boolean>`type = ${type}`]),
  ];
}

function conditions(clientId: number, query: TaskFilter) {
  const shared = sharedConditions(clientId, query);
  const { is_acknowledged: acknowledged } = query;
  if (acknowledged === undefined) return { tasks: all(shared), counts: all(shared) };
  return {
    tasks: all([...shared, sql<boolean>`(acknowledged_at is not null) = ${acknowledged}`]),
    counts: all([...shared, sql<boolean>`acknowledged = ${acknowledged}`]),
  };
}

/** By what days are counted that fits the query, if anything does. */
function dailyKind({ project_id, region_id, task_type, is_acknowledged }: TaskFilter): string | undefined {
  const ofPlace = project_id !== undefined || region_id !== undefined;
  const narrow = [ofPlace, task_type !== undefined, is_acknowledged !== undefined].filter(Boolean).length;
  if (narrow > 1) return undefined;
  if (ofPlace) return 'day and place';
  return task_type === undefined ? 'day' : 'day and type';
}

/** The exact count of a list. */
export async function countTasks(db: Db, clientId: number, query: TaskFilter): Promise<number> {
  const timed = query.from_timestamp !== undefined || query.to_timestamp !== undefined;
  const kind = timed ? dailyKind(query) : 'all';
  const { tasks, counts } = conditions(clientId, query);
  const range = within(query);
  const ended = sql`finished_at is not null and ${tasks}`;
  const parts = [
    sql`select count(*) as n from tasks where finished_at is null and ${tasks} and ${range.all}`,
  ];
  if (kind === undefined || !range.days)
    parts.push(sql`select count(*) from tasks where ${ended} and ${range.all}`);
  else {
    parts.push(
      sql`select sum(count) from task_counts where kind = ${kind} and ${counts} and ${range.days}`,
      sql`select sum(count) from task_count_changes where ${counts} and ${range.days}`,
      ...range.added.map((edge) => sql`select count(*) from tasks where ${ended} and ${edge}`),
      ...range.removed.map((edge) => sql`select -count(*) from tasks where ${ended} and ${edge}`),
    );
  }
  const text = sql<{
    n: number;
  }>`select coalesce(sum(n), 0)::int as n from (${sql.join(parts, sql` union all `)}) parts`;
  const { rows } = await text.execute(db.kysely);
  return rows[0]?.n ?? 0;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const begin = (day: number) => moment(day * DAY_MS);
const date = (day: number) => sql`(date '1970-01-01' + ${day}::int)`;

/** The times of a query: all of them, the whole days that stand for them, and what these have too little and too much:
 *  of a day that is only partly asked for the smaller part is counted. */
interface Range {
  readonly all: Condition;
  /** Absent: only what is asked for is counted. */
  readonly days?: Condition;
  readonly added: readonly Condition[];
  readonly removed: readonly Condition[];
}

function within({ from_timestamp, to_timestamp }: TaskFilter): Range {
  const since = from_timestamp === undefined ? [] : [sinceOf(from_timestamp)];
  const until = to_timestamp === undefined ? [] : [untilOf(to_timestamp)];
  const given = all([...since, ...until].map(({ asked }) => asked));
  const [from, to] = [since[0]?.ms ?? -Infinity, until[0]?.ms ?? Infinity];
  if (from >= to) return { all: given, added: [], removed: [] };
  const edges = [...since, ...until];
  return {
    all: given,
    days: all(edges.map(({ days }) => days)),
    added: edges.flatMap(({ added }) => added ?? []),
    removed: edges.flatMap(({ removed }) => removed ?? []),
  };
}

interface Edge {
  readonly ms: number;
  readonly asked: Condition;
  readonly days: Condition;
  readonly added?: Condition;
  readonly removed?: Condition;
}

/** The midnight that is nearest to a time, as the number of its day since 1970, and whether it comes before. */
function nearestDay(text: string): { ms: number; day: number; isBefore: boolean } {
  const ms = readTime(text)?.getTime() ?? 0;
  const day = Math.round(ms / DAY_MS);
  return { ms, day, isBefore: day * DAY_MS <= ms };
}

function sinceOf(text: string): Edge {
  const { ms, day, isBefore } = nearestDay(text);
  const time = sql`${text}::timestamptz`;
  const asked = sql<boolean>`created_at >= ${time}`;
  const days = sql<boolean>`day >= ${date(day)}`;
  return isBefore
    ? { ms, asked, days, removed: sql`created_at >= ${begin(day)} and created_at < ${time}` }
    : { ms, asked, days, added: sql`created_at >= ${time} and created_at < ${begin(day)}` };
}

function untilOf(text: string): Edge {
  const { ms, day, isBefore } = nearestDay(text);
  const time = sql`${text}::timestamptz`;
  const asked = sql<boolean>`created_at <= ${time}`;
  const days = sql<boolean>`day < ${date(day)}`;
  return isBefore
    ? { ms, asked, days, added: sql`created_at >= ${begin(day)} and created_at <= ${time}` }
    : { ms, asked, days, removed: sql`created_at > ${time} and created_at < ${begin(day)}` };
}

export interface DayCount {
  /** As PostgreSQL writes dates. */
  readonly day: string;
  readonly count: number;
}

/** How many tasks of a list were created on each day, in order; undefined when that would have to be counted one by
 *  one. */
export async function days(
  db: Db,
  clientId: number,
  query: TaskFilter,
): Promise<readonly DayCount[] | undefined> {
  const kind = dailyKind(query);
  if (kind === undefined) return undefined;
  const { tasks, counts } = conditions(clientId, query);
  const { rows } = await sql<DayCount>`
    select day::text as day, sum(n)::int as count from (
      select day, sum(count) as n from task_counts where kind = ${kind} and ${counts} group by day
      union all select day, sum(count) from task_count_changes where ${counts} group by day
      union all select (created_at at time zone 'UTC')::date, count(*) from tasks
                 where finished_at is null and ${tasks} group by 1) parts
     group by 1 order by 1`.execute(db.kysely);
  return rows;
}
