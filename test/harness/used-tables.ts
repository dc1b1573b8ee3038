import type { Db } from '../../server/src/platform/database/db.ts';
import { raw, sql } from '../../server/src/platform/database/sql.ts';

/** Tables that have a page in their file, in the order of their names: those that never had a row need not be read,
 *  and most never have one.
 *  @param known those that had one before, which are not looked at again */
export async function usedTables(db: Db, known: readonly string[] = []): Promise<readonly string[]> {
  const tables = await db.rows<{ name: string }>(sql`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and not relispartition and relname not like 'kysely%'
        and (relkind = 'p' or (relkind = 'r' and (relname = any(${known}::text[]) or pg_relation_size(oid) > 0)))
      order by 1`);
  return tables.map(({ name }) => name);
}

/** Reads all of these tables by one prepared statement.
 *  @param select reads one of them */
export function readTables<Row>(
  db: Db,
  tables: readonly string[],
  select: (table: string) => string,
): Promise<Row[]> {
  return db.rows<Row>(raw(tables.map(select).join(' union all ')));
}
