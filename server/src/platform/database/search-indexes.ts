import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { migrationsFolder } from './sql-files.ts';

/** Whether the last of them is there. */
const HAVE_ALL = `select to_regclass('volume_snapshots_name_search') is not null as found`;

/** Adds the indexes that find parts of texts (`server/search-indexes.sql`), where the server has what they need. */
export async function addSearchIndexes(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ found: boolean }>(HAVE_ALL);
  if (rows[0]?.found) return;
  await pool.query(await readFile(path.join(migrationsFolder(), '..', 'search-indexes.sql'), 'utf8'));
}
