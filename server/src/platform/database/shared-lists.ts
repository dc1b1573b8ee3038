import { type RawBuilder, sql } from 'kysely';
import { type Counted, countIfKept } from './kept-counts.ts';
import type { Paging } from './list-page.ts';

/** Lists of what a project has together with what its region shares with all projects. Each of both is found by its
 *  own index, which one condition for both would not be; the region's are few. */
export interface SharedList extends Paging {
  readonly table: string;
  readonly kept: Counted;
  /** Also what the region shares, or that alone. */
  readonly whose: 'own' | 'shared' | 'both';
  /** What both are narrowed by, in columns of the table. */
  readonly conditions: readonly RawBuilder<unknown>[];
  /** Of the project's own, as an index has it. */
  readonly ownOrder: string;
  /** Of all. */
  readonly order: string;
}

/** The rows of a page, in order; and a statement with one row, `count`. */
export function sharedList(list: SharedList): { page: RawBuilder<unknown>; count: RawBuilder<unknown> } {
  const { table, whose, limit, offset } = list;
  const { projectId, regionId } = list.kept.place;
  const narrow = sql.join([sql`region_id = ${regionId}::int`, ...list.conditions], sql` and `);
  const name = sql.raw(table);
  const own = sql`${name} where project_id = ${projectId}::int and ${narrow}`;
  const shared = sql`${name} where project_id is null and ${narrow}`;
  const countOwn = countIfKept(list.kept) ?? sql`select count(*) as count from ${own}`;
  const parts = [
    ...(whose === 'shared'
      ? []
      : [
          sql`(select * from ${own} order by ${sql.raw(list.ownOrder)} limit ${limit}::int + ${offset}::bigint)`,
        ]),
    ...(whose === 'own' ? [] : [sql`(select * from ${shared})`]),
  ];
  const counts = [
    ...(whose === 'shared' ? [] : [sql`(${countOwn})`]),
    ...(whose === 'own' ? [] : [sql`(select count(*) from ${shared})`]),
  ];
  return {
    page: sql`select * from (${sql.join(parts, sql` union all `)}) listed
      order by ${sql.raw(list.order)} limit ${limit}::int offset ${offset}::bigint`,
    count: sql`select ${sql.join(counts, sql` + `)} as count`,
  };
}
