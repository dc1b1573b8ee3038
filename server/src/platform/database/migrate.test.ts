import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { createDatabaseOfLastRelease } from '../../../../test/upgrade/kept-release.ts';
import { migrateToLatest } from './migrate.ts';

/** A database of before the newest migrations, and a connection to it that plays the node that is at work on it. */
async function databaseOfBefore() {
  const database = await createDatabaseOfLastRelease();
  const pool = new pg.Pool(database.connection);
  const node = new pg.Client(database.connection);
  await node.connect();
  onTestFinished(async () => {
    await node.end();
    await pool.end();
    await database.drop();
  });
  return { pool, node };
}

/** Until a migration waits for a lock on the table. */
async function untilWaitedFor(node: pg.Client, table: string): Promise<void> {
  const waiting = async () => {
    const { rows } = await node.query('select from pg_locks where relation = $1::regclass and not granted', [
      table,
    ]);
    return rows.length > 0;
  };
  await waitUntil(waiting, { what: `a migration that waits for ${table}` });
}

test('a migration never ends a statement of the node that it is locked out in a circle with', async () => {
  const { pool, node } = await databaseOfBefore();
  await node.query('begin; select from volumes');
  const migrated = migrateToLatest(pool);
  await untilWaitedFor(node, 'volumes');
  // In the order of their names the migration has locked this one by now.
  await node.query('select from audit_log');
  await node.query('commit');
  await migrated;
});

test('a migration waits until who holds a table, like a backup, has ended', async () => {
  const { pool, node } = await databaseOfBefore();
  await node.query('begin; lock table tasks in share update exclusive mode');
  const migrated = migrateToLatest(pool);
  await untilWaitedFor(node, 'tasks');
  expect((await node.query(`select from kysely_migration where name > '0232'`)).rows).toEqual([]);
  await node.query('commit');
  await migrated;
  expect((await node.query(`select from kysely_migration where name > '0232'`)).rows).not.toEqual([]);
});
