import { SPREAD_S } from './values.ts';

/** What rows of the bench are made of, as SQL. */

export interface Rows {
  readonly table: string;
  /** As many as the API lets there be; default: any number. */
  readonly most?: number;
  /** `:n`: how many. */
  readonly statement: string;
}

/** The id of row `i` of a table, so that rows of others can name it. */
export const id = (table: string, i = 'i') => `md5('${table} ' || ${i})::uuid`;
/** Newest first. */
export const at = `now() - i * (${SPREAD_S} * interval '1 second' / :n)`;
export const tags = `case when i % 3 = 0 then '{"team": {"value": "a", "read_only": false}}'
  when i % 100 = 5 then '{"team": {"value": "a", "read_only": false}, "rare": {"value": "a", "read_only": false}}'
  else '{}' end::jsonb`;
export const series = 'from generate_series(1, :n) i';
export const scope = { client_id: '1', project_id: '1', region_id: '2' };
export const named = { name: `'thing ' || i` };

/** @param columns expressions of `i` */
export function of(
  table: string,
  columns: Readonly<Record<string, string>>,
  more: Omit<Rows, 'table' | 'statement'> = {},
): Rows {
  const names = Object.keys(columns).join(', ');
  const values = Object.values(columns).join(', ');
  return {
    table,
    ...more,
    statement: `insert into ${table} (${names}) select ${values} ${series} on conflict do nothing`,
  };
}

export const both = { created_at: at, updated_at: at };
/** One network has a tenth of everything. */
export const network = `case when i % 10 = 0 then ${id('networks', '1')} else ${id('networks')} end`;
export const subnet = `case when i % 10 = 0 then ${id('subnets', '1')} else ${id('subnets')} end`;
export const parts = { project_id: '1', region_id: '2', ...named, created_at: at };
export const statuses = {
  operating_status: `case when i % 100 = 1 then 'ERROR' else 'ONLINE' end`,
  provisioning_status: `case when i % 100 = 2 then 'ERROR' else 'ACTIVE' end`,
};
export const sealed = { key_id: '(select id from master_keys limit 1)', sealed: `'\\x00'` };
export const address = `('10.0.0.0'::inet + i)`;
export const reservedAddress = `('10.64.0.0'::inet + i)`;
