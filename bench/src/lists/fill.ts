import type pg from 'pg';
import { ROWS } from './rows.ts';

/** Fills every table that a list shows, in bulk: no triggers and no references are asked, and indexes are built when
 *  the rows are there. */

export interface Filling {
  readonly rows: number;
  /** Absent: all. */
  readonly tables?: readonly string[] | undefined;
  readonly say: (text: string) => void;
}

/** @param client of a superuser, who alone may leave the triggers out */
export async function fill(client: pg.Client, { rows, tables, say }: Filling): Promise<void> {
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB';
    set synchronous_commit = off`);
  await client.query(`do $$ begin
    for i in 0..13 loop
      perform add_month_of_audit_log((now() - i * interval '1 month')::date);
      perform add_month_of_ended_tasks((now() - i * interval '1 month')::date);
    end loop; end $$`);
  for (const { table, most = rows, statement } of ROWS) {
    if (tables && !tables.includes(table)) continue;
    const count = Math.min(most, rows);
    const begin = performance.now();
    await withoutIndexes(client, table, () => client.query(statement.replaceAll(':n', String(count))));
    say(`${count} rows of ${table} in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  }
  await client.query('set session_replication_role = origin');
  await client.query('vacuum (analyze, freeze)');
}

/** Partitioned tables keep theirs. */
async function withoutIndexes(client: pg.Client, table: string, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query(
    `select x.relname as name, pg_get_indexdef(x.oid) as definition from pg_index i
       join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
      where i.indrelid = $1::regclass and not i.indisunique and t.relkind = 'r' and not t.relispartition`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await work();
  for (const { definition } of rows) await client.query(definition);
}
