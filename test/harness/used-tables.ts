import { createHash } from 'node:crypto';
import type { Db } from '../../server/src/platform/database/db.ts';

/** Tables that have a page in their file, in the order of their names: those that never had a row need not be read,
 *  and most never have one.
 *  @param known those that had one before, which are not looked at again */
export async function usedTables(db: Db, known: readonly string[] = []): Promise<readonly string[]> {
  const tables = await db.named<{ name: string }>(
    'test_used_tables',
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and not relispartition and relname not like 'kysely%'
        and (relkind = 'p' or (relkind = 'r' and (relname = any($1::text[]) or pg_relation_size(oid) > 0)))
      order by 1`,
    [known],
  );
  return tables.map(({ name }) => name);
}

/** Reads all of these tables by one prepared statement.
 *  @param what names it
 *  @param select reads one of them */
export function readTables<Row>(
  db: Db,
  what: string,
  tables: readonly string[],
  select: (table: string) => string,
): Promise<Row[]> {
  const of = createHash('md5').update(tables.join()).digest('hex');
  return db.named<Row>(`${what} ${of}`, tables.map(select).join(' union all '), []);
}
