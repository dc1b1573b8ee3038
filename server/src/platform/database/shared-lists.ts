import type { PageOfRows, Paging } from './list-page.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/** Lists of what a project has together with what its region shares with all projects. Each of both is found by its
 *  own index, which one condition for both would not be; the region's are few. */
export interface SharedList extends Paging {
  readonly table: string;
  readonly projectId: number;
  readonly regionId: number;
  /** Also what the region shares, or that alone. */
  readonly whose: 'own' | 'shared' | 'both';
  /** What both are narrowed by, in columns of the table. */
  readonly conditions: readonly Sql[];
  /** Of the project's own, as an index has it. */
  readonly ownOrder: string;
  /** Of all. */
  readonly order: string;
}

/** The rows of a page, in order, and how many match in all. */
export function sharedList(list: SharedList): Pick<PageOfRows, 'page' | 'count'> {
  const { table, whose, limit, offset, projectId, regionId } = list;
  const narrow = join([sql`region_id = ${regionId}::int`, ...list.conditions], ' and ');
  const name = raw(table);
  const own = sql`${name} where project_id = ${projectId}::int and ${narrow}`;
  const shared = sql`${name} where project_id is null and ${narrow}`;
  const ownRows = sql`(select * from ${own} order by ${raw(list.ownOrder)} limit ${limit}::int + ${offset}::bigint)`;
  const parts = [
    ...(whose === 'shared' ? [] : [ownRows]),
    ...(whose === 'own' ? [] : [sql`(select * from ${shared})`]),
  ];
  const counts = [
    ...(whose === 'shared' ? [] : [sql`(select count(*) from ${own})`]),
    ...(whose === 'own' ? [] : [sql`(select count(*) from ${shared})`]),
  ];
  return {
    page: sql`select * from (${join(parts, ' union all ')}) listed
      order by ${raw(list.order)} limit ${limit}::int offset ${offset}::bigint`,
    count: sql`select ${join(counts, ' + ')} as count`,
  };
}
