import type pg from 'pg';
import { AFTER_TABLES, BEFORE_TABLES, BY_TABLE, REFERENCES } from './schema-queries.ts';

/** Functions may name what comes further down. */
const HEADER = `-- What a new database is made of, and what the migrations make of one of an earlier release. Written by npm run generate.

set local check_function_bodies = off;`;

/**
 * The schema `public` as text, the same for the same schema, from which a transaction can make it anew: types,
 * sequences, functions, then tables each with its columns, constraints, indexes and triggers. Reads catalogues only.
 */
export async function dumpSchema(client: pg.Client | pg.Pool): Promise<string> {
  const before = (await collect(client, BEFORE_TABLES)).map((row) => row.ddl);
  const rows = await collect(client, BY_TABLE);
  const after = (await collect(client, AFTER_TABLES)).map((row) => row.ddl);
  const tables = (await tableNames(client, rows)).map((name) => {
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

/** In the order of the alphabet, but for tables that others refer to, which come before those. */
async function tableNames(client: pg.Client | pg.Pool, rows: readonly Row[]): Promise<readonly string[]> {
  const { rows: references } = await client.query<{ table_name: string; target: string }>(REFERENCES);
  const ordered = new Set<string>();
  const add = (name: string, above: readonly string[]) => {
    if (above.includes(name)) throw new Error(`Tables refer to each other: ${[...above, name].join(', ')}`);
    if (ordered.has(name)) return;
    const targets = references.filter(({ table_name }) => table_name === name).map(({ target }) => target);
    for (const target of targets.sort()) add(target, [...above, name]);
    ordered.add(name);
  };
  // Compared by code unit: the order must not depend on anybody's locale.
  for (const name of [...new Set(rows.map((row) => row.table_name ?? ''))].sort()) add(name, []);
  return [...ordered];
}
