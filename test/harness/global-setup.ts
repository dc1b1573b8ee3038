import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { bundleSftpServer } from '../../scripts/lib/bundle.mjs';
import { Db } from '../../server/src/platform/database/db.ts';
import {
  type EmbeddedPostgres,
  lockDataDir,
  startEmbeddedPostgres,
} from '../../server/src/platform/database/embedded/index.ts';
import { migrateToLatest } from '../../server/src/platform/database/migrate.ts';
import { addMonths } from '../../server/src/platform/months.ts';
import { clearLeftovers } from './leftovers.ts';
import { type Pristine, readPristine } from './pristine.ts';

const FOLDER_PREFIX = 'virga-test-';
const TEMPLATE = 'virga_template';

/** Nothing here outlives the run, so nothing needs to reach the disk. */
const THROW_AWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // It would look through hundreds of small databases, and note in those that wait to be used again what it found.
  autovacuum: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
};

const quiet = {
  info: () => {},
  warn: () => {},
  error: (fields: object, text: string) => complain(text, fields),
};

/** One PostgreSQL for the whole run, with a template database that holds the project's schema. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  clearLeftovers();
  await bundleSftpServer(path.join(import.meta.dirname, '..', '..'));
  await removeAbandoned();
  const folder = mkdtempSync(path.join(os.tmpdir(), FOLDER_PREFIX));
  lockDataDir(folder);
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: quiet,
    durable: false,
    settings: THROW_AWAY,
  });
  const pristine = await createTemplate(postgres);
  const { host, port, user, password } = postgres.connection;
  const { user: adminUser, password: adminPassword } = postgres.admin;
  const admin = { user: adminUser, password: adminPassword };
  project.provide('testServer', { host, port, user, password, admin, template: TEMPLATE, pristine });
  return async () => {
    const left = await remainingDatabases(postgres);
    await postgres.stop();
    removeLocked(folder);
    clearLeftovers();
    if (left.length === 0) return;
    // vitest prints an error from here and still calls the run a success.
    process.exitCode = 1;
    throw new Error(`Test databases that were not dropped:\n${left.join('\n')}`);
  };
}

async function createTemplate(postgres: EmbeddedPostgres): Promise<Pristine> {
  await query(postgres, `create database ${TEMPLATE} owner ${postgres.connection.user}`);
  // Tests put whole states back, which the program itself never does.
  await query(postgres, `grant set on parameter session_replication_role to ${postgres.connection.user}`);
  const connection = { ...postgres.connection, database: TEMPLATE };
  const db = new Db({ connection, log: pino({ level: 'silent' }), maxConnections: 2 });
  try {
    await migrateToLatest(db.pool);
    // As each server does when it starts.
    await addMonths(db, new Date());
  } finally {
    await db.close();
  }
  const pristine = await look(postgres);
  // Nobody may connect, or copying it would fail now and then.
  await query(postgres, `alter database ${TEMPLATE} with is_template true allow_connections false`);
  // Copies are made file by file: what is in memory has to be there first.
  await query(postgres, 'checkpoint');
  return pristine;
}

async function look(postgres: EmbeddedPostgres): Promise<Pristine> {
  const client = new pg.Client({ ...postgres.admin, database: TEMPLATE });
  await client.connect();
  try {
    return await readPristine(client);
  } finally {
    await client.end();
  }
}

/**
 * Every test drops its database, and a drop fails while anybody is connected: a database that is left means
 * a test that forgot to, or one that leaked a connection.
 */
async function remainingDatabases(postgres: EmbeddedPostgres): Promise<string[]> {
  const rows = await query(
    postgres,
    "select datname from pg_database where datname like 'test\\_%' order by 1",
  );
  return rows.map((row) => String(row.datname));
}

/** What a run that was killed left behind: its PostgreSQL and its folder. */
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(os.tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const folder = path.join(os.tmpdir(), name);
    try {
      // Throws for a run that is still going on, and for other users' folders.
      lockDataDir(folder);
      const postgres = await startEmbeddedPostgres({ dataDir: folder, log: quiet, durable: false });
      await postgres.stop();
      removeLocked(folder);
    } catch {
      // Not ours to remove.
    }
  }
}

/** Removes a folder that we hold. Released first, or half removed, it would look abandoned to another run. */
function removeLocked(folder: string): void {
  const away = folder.replace(FOLDER_PREFIX, 'virga-gone-');
  renameSync(folder, away);
  rmSync(away, { recursive: true, force: true, maxRetries: 5 });
}

async function query(postgres: EmbeddedPostgres, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...postgres.admin, database: 'postgres' });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function complain(text: string, fields: object): void {
  process.stderr.write(`test PostgreSQL: ${text} ${JSON.stringify(fields)}\n`);
}
