import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { waitUntil } from '../../../test/harness/wait.ts';
import { Background } from './background.ts';
import { Db } from './database/db.ts';
import { TaskWatcher } from './tasks/watch.ts';

/** Connections that are held for long are lost with the database: then they are had anew, and the server can still
 *  be stopped. */

const log = pino({ level: 'silent' });
let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log, maxConnections: 3 });
});

afterEach(() => database.drop());

async function loseAll(): Promise<void> {
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

/** Fails while somebody holds a connection. */
async function close(): Promise<void> {
  await waitUntil(() => db.pool.idleCount === db.pool.totalCount, { what: 'every connection to be idle' });
  await db.close();
}

test('a lease that was lost with its connection is had again, and nothing is left of the first', async () => {
  let runs = 0;
  const job = { name: 'job', everyMs: 10, exclusive: true, run: async () => void runs++ };
  const background = new Background([job], db, log);
  await background.start();
  for (let losses = 0; losses < 5; losses++) {
    const before = runs;
    await waitUntil(() => runs > before, { what: 'the job to run' });
    await loseAll();
  }
  const before = runs;
  await waitUntil(() => runs > before, { what: 'the job to run again' });
  await background.stop();
  await close();
});

test('whoever waits for tasks listens again after the connection was lost', async () => {
  const watcher = new TaskWatcher(db);
  for (let losses = 0; losses < 5; losses++) {
    const waiting = watcher.waitFor('some task', 60_000);
    await waiting.ready;
    await loseAll();
    await waiting.over;
    waiting.cancel();
  }
  await watcher.close();
  await close();
  expect(db.pool.totalCount).toBe(0);
});
