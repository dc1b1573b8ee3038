import type pg from 'pg';

/** What lists cost those who write: their indexes and counts, removed and put back. */

const COUNTS = ['count_rows', 'count_rows_by_facets', 'count_rows_of_client'];

/** Statements count user actions themselves. */
const FORGET_USER_ACTIONS = `
  create function forget_count() returns trigger language plpgsql as 'begin return null; end';
  create trigger forget_user_actions before insert on resource_changes for each row
    when (new.resource = 'user_actions') execute function forget_count()`;

/** Triggers that count. Those of partitions go with their parent's. */
const TRIGGERS = `select tgrelid::regclass::text as of, tgname as name from pg_trigger
  where tgfoid in (select oid from pg_proc where proname = any($1)) and tgparentid = 0`;

/** Indexes that lists alone need: of a project's region or a client, in some order, and of tags. */
const INDEXES = `select x.indexrelid::regclass::text as name, pg_get_indexdef(x.indexrelid) as definition
    from pg_index x join pg_class t on t.oid = x.indrelid
   where not x.indisunique and t.relname <> 'tasks_active' and t.relnamespace = 'public'::regnamespace
     and not exists (select from pg_inherits where inhrelid = x.indexrelid)
     and pg_get_indexdef(x.indexrelid) ~ '\\((project_id, region_id|client_id), |gin \\(tags'`;

/** Removes them.
 *  @returns puts them back */
export async function withoutLists(client: pg.Client): Promise<() => Promise<void>> {
  const triggers = (await client.query(TRIGGERS, [COUNTS])).rows;
  const indexes = (await client.query(INDEXES)).rows;
  for (const { of, name } of triggers) await client.query(`alter table ${of} disable trigger ${name}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await client.query(FORGET_USER_ACTIONS);
  return async () => {
    await client.query('drop function forget_count cascade');
    for (const { definition } of indexes) await client.query(definition);
    for (const { of, name } of triggers) await client.query(`alter table ${of} enable trigger ${name}`);
    await client.query('select recount_resources(), recount_clients()');
    await client.query('analyze');
  };
}
