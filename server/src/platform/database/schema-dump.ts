import type pg from 'pg';
import { AFTER_TABLES, BEFORE_TABLES, BY_TABLE } from './schema-queries.ts';

const HEADER = '-- What all migrations add up to, written by npm run generate. To read, not to run.';

/**
 * The schema `public` as text, the same for the same schema: types, sequences, tables each with its columns,
 * constraints, indexes and triggers, then functions. Reads catalogues only.
 */
export async function dumpSchema(client: pg.Client | pg.Pool): Promise<string> {
  const before = (await collect(client, BEFORE_TABLES)).map((row) => row.ddl);
  const rows = await collect(client, BY_TABLE);
  const after = (await collect(client, AFTER_TABLES)).map((row) => row.ddl);
  // Compared by code unit: the order must not depend on anybody's locale.
  const names = [...new Set(rows.map((row) => row.table_name ?? ''))].sort();
  const tables = names.map((name) => {
    const own = rows.filter((row) => row.table_name === name);
    return own.map((row) => row.ddl).join('\n');
  });
  return `${[HEADER, ...before, ...tables, ...after].join('\n\n')}\n`;
}

interface Row {
  table_name: string | null;
  ddl: string;
}

async function collect(client: pg.Client | pg.Pool, queries: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const query of queries) rows.push(...(await client.query<Row>(query)).rows);
  return rows;
}
