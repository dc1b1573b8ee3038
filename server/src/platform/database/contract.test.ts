import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { TestDatabase } from '../../../../test/harness/database.ts';
import { createDatabaseOfLastRelease } from '../../../../test/upgrade/kept-release.ts';
import { contractJob } from './contract.ts';
import { Db } from './db.ts';
import { migrateToLatest } from './migrate.ts';
import { dumpSchema } from './schema-dump.ts';
import { migrationsFolder } from './sql-files.ts';

/** What older nodes use stays until none of them is at work, and an hour after the upgrade. */

const VERSION = '99.0.0';
const SCHEMA = readFileSync(path.join(migrationsFolder(), '..', 'schema.sql'), 'utf8');

async function upgraded(): Promise<Db> {
  const database: TestDatabase = await createDatabaseOfLastRelease();
  const db = new Db({
    connection: database.connection,
    log: pino({ level: 'silent' }),
    maxConnections: 2,
  });
  onTestFinished(async () => {
    await db.close();
    await database.drop();
  });
  await migrateToLatest(db.pool);
  return db;
}

/** As if the upgrade had been so long ago. */
const upgradedBefore = (db: Db, interval: string) =>
  db.pool.query(`update kysely_migration set "timestamp" = (now() - $1::interval)::text`, [interval]);

const seen = (db: Db, version: string) =>
  db.pool.query(
    `insert into nodes (session, name, role, version) values (gen_random_uuid(), 'n', 'all', $1)`,
    [version],
  );

const needs = async (db: Db) => (await db.pool.query('select needs from database_version')).rows[0]?.needs;

test('an hour after the upgrade, without older nodes, the database is as a new one', async () => {
  const db = await upgraded();
  const job = contractJob(db, VERSION);
  const run = () => job.run(new AbortController().signal);
  const before = await dumpSchema(db.pool);
  expect(before).not.toBe(SCHEMA);
  await upgradedBefore(db, '59 minutes');
  await run();
  expect(await dumpSchema(db.pool)).toBe(before);
  await upgradedBefore(db, '61 minutes');
  await seen(db, VERSION);
  await run();
  expect(await dumpSchema(db.pool)).toBe(SCHEMA);
  // Older programs are refused from now on, and a start changes nothing.
  expect(await needs(db)).toBe('0.3.0');
  await migrateToLatest(db.pool);
  await run();
  expect(await dumpSchema(db.pool)).toBe(SCHEMA);
});

test('as long as an older node is listed nothing that it uses is removed', async () => {
  const db = await upgraded();
  const before = await dumpSchema(db.pool);
  await upgradedBefore(db, '2 days');
  await seen(db, '0.2.0');
  await contractJob(db, VERSION).run(new AbortController().signal);
  expect(await dumpSchema(db.pool)).toBe(before);
  expect(await needs(db)).not.toBe('0.3.0');
});
