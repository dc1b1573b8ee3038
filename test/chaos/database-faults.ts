import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** What the database of a server must not hold, whatever happened. The tables are not named: those that come later
 *  are looked into as well. */

export type Query = (text: string) => Promise<Record<string, unknown>[]>;

/** A session, not connected yet, of the PostgreSQL in a data directory. */
export function clientOf(dataDir: string): pg.Client {
  const password = readFileSync(path.join(dataDir, 'postgres/password'), 'utf8').trim();
  const host = path.join(dataDir, 'postgres/run');
  return new pg.Client({ host, port: 5432, user: 'virga', password, database: 'virga' });
}

/** Asks the PostgreSQL in a data directory. */
export function queryOf(dataDir: string): Query {
  return async (text) => {
    const client = clientOf(dataDir);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
}

/** Locks that no task holds any more, unfinished states, counters that differ from what they count. */
export async function databaseFaults(query: Query): Promise<string[]> {
  const checks = await checksOf(query);
  const found: string[] = [];
  for (const [name, text] of checks) {
    for (const { n } of await query(text)) found.push(`${name}: ${n}`);
  }
  return found;
}

async function checksOf(query: Query): Promise<[string, string][]> {
  const columns = await query(
    `select table_name as t, column_name as c, data_type as type from information_schema.columns
      where table_schema = 'public' and table_name <> 'tasks'`,
  );
  const named = (test: (column: { c: string; type: string }) => boolean) =>
    columns
      .map(({ t, c, type }) => ({ t: String(t), c: String(c), type: String(type) }))
      .filter((column) => test(column));
  return [
    ...named(({ c }) => c === 'task_id').map(({ t }): [string, string] => [
      `${t} is still locked`,
      `select to_jsonb(x) as n from ${t} x where task_id is not null`,
    ]),
    ...named(({ c, type }) => type === 'text' && c.endsWith('status')).map(({ t, c }): [string, string] => [
      `${t}.${c} is PENDING`,
      `select to_jsonb(x) as n from ${t} x where ${c} like 'PENDING%'`,
    ]),
    ...named(({ c }) => c === 'deleting').map(({ t }): [string, string] => [
      `${t} is still being deleted`,
      `select to_jsonb(x) as n from ${t} x where deleting`,
    ]),
    ...QUOTAS.map(([name, table]): [string, string] => [
      `quota ${name} and rows differ`,
      `select q.region_id || ': ' || q.usage || ' counted, there are ' || count(x.*) as n
         from quota_counters q left join ${table} x on x.region_id = q.region_id and x.client_id = q.client_id
        where q.name = '${name}' group by q.client_id, q.region_id, q.usage having q.usage <> count(x.*)`,
    ]),
    [
      'a failed task names resources',
      `select id as n from tasks where state = 'ERROR' and created_resources is not null`,
    ],
  ];
}

/** Quotas that count rows of a table. */
const QUOTAS = [
  ['loadbalancer_count', 'load_balancers'],
  ['cluster_count', 'k8s_clusters'],
  ['floating_count', 'floating_ips'],
  ['secret_count', 'secrets'],
  ['network_count', 'networks'],
  ['subnet_count', 'subnets'],
] as const;

/** What a client asked for once and got more than once: each gives its things names of their own. */
export async function repeats(query: Query): Promise<string[]> {
  const tables = await query(
    `select table_name as t from information_schema.columns
      where table_schema = 'public' and column_name in ('name', 'project_id', 'region_id')
        -- Something that was resized, or has volumes of its name, has several periods.
        and table_name <> 'usage_periods'
      group by table_name having count(*) = 3`,
  );
  const found: string[] = [];
  for (const { t } of tables) {
    const rows = await query(
      `select name || ': ' || count(*) as n from ${t} where name ~ '[0-9]$'
        group by project_id, region_id, name having count(*) > 1`,
    );
    found.push(...rows.map(({ n }) => `${t} was made more than once, ${n}`));
  }
  return found;
}

/** What is still counted after everything was deleted. */
export async function remains(query: Query): Promise<string[]> {
  const rows = await query(
    `select 'quota ' || name || ' in region ' || region_id || ': ' || usage as n from quota_counters
      where usage <> 0 and name not in ('project_count', 'keypair_count')
     union all select 'address ' || address || ' of ' || owner_id || ' in region ' || region_id
       from region_addresses
     union all select 'projects: ' || usage from quota_counters where name = 'project_count' and usage <> 1`,
  );
  return rows.map(({ n }) => `still counted after all was deleted: ${n}`);
}
