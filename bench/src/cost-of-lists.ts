import type pg from 'pg';

/** What lists cost those who write: their indexes, removed and put back. */

/** Indexes that lists alone need: of a project's region or a client, in some order, of tags, and of parts of texts. */
const INDEXES = `select x.indexrelid::regclass::text as name, pg_get_indexdef(x.indexrelid) as definition
    from pg_index x join pg_class t on t.oid = x.indrelid
   where not x.indisunique and t.relname <> 'tasks_active' and t.relnamespace = 'public'::regnamespace
     and not exists (select from pg_inherits where inhrelid = x.indexrelid)
     and pg_get_indexdef(x.indexrelid) ~ '\\((project_id, region_id|client_id), |gin \\(tags'`;

/** Removes them.
 *  @returns puts them back */
export async function withoutLists(client: pg.Client): Promise<() => Promise<void>> {
  const indexes = (await client.query(INDEXES)).rows;
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of indexes) await client.query(definition);
    await client.query('analyze');
  };
}
