import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db, type Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { Ends } from './ends.ts';

/** Ends of tasks that are ready at the same moment share a transaction, and none depends on another. */

let database: TestDatabase;
let db: Db;
const timestamp = '2026-03-04T05:06:07.000Z';
const NEVER_MS = 3_600_000;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 4 });
  await db.run(sql`insert into clients (name, email) values ('One', 'one@virga.test')`);
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

async function running(attempt = 1): Promise<string> {
  const id = randomUUID();
  await db.pool.query(
    `insert into tasks_active (id, client_id, user_id, type, subject_id, subject_name, state, attempt, created_at, updated_at)
     values ($1, 1, 1, 'try', 's', 'n', 'RUNNING', $2, $3, $3)`,
    [id, attempt, timestamp],
  );
  return id;
}
const stateOf = async (id: string) =>
  (await db.pool.query('select state, created_resources from tasks where id = $1', [id])).rows[0];

const end = (id: string, commit?: (tx: Tx) => Promise<void>) => ({
  id,
  attempt: 1,
  clientId: 1,
  timestamp,
  created: { networks: [id] },
  commit,
});
const transactionOf = async (tx: Tx) => {
  const [row] = await tx.rows<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
  return row?.id ?? '';
};

/** Something that is written until it is released. */
function gate() {
  let open: () => void = () => undefined;
  let begun: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const waiting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const commit = async () => {
    begun();
    await opened;
  };
  return { open, waiting, commit };
}

/** Ends that are ready while another one is being written. */
async function meanwhile(ends: Ends, ready: () => Promise<unknown>[]): Promise<unknown[]> {
  const first = gate();
  const written = ends.write(end(await running(), first.commit));
  await first.waiting;
  const others = Promise.allSettled(ready());
  first.open();
  expect(await written).toBe(true);
  return (await others).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message));
}

test('ends that are ready while another is written share the next transaction', async () => {
  const ids = [await running(), await running(), await running()];
  const seen: string[] = [];
  const note = async (tx: Tx) => void seen.push(await transactionOf(tx));
  const ends = new Ends(db, NEVER_MS);
  expect(await meanwhile(ends, () => ids.map((id) => ends.write(end(id, note))))).toEqual([true, true, true]);
  expect(seen).toHaveLength(3);
  expect(new Set(seen).size).toBe(1);
  for (const id of ids) {
    expect(await stateOf(id)).toEqual({ state: 'FINISHED', created_resources: { networks: [id] } });
  }
});

test('a run that was overtaken writes nothing, and those beside it are written', async () => {
  const [overtaken, other] = [await running(2), await running()];
  const seen: string[] = [];
  const ends = new Ends(db, NEVER_MS);
  const results = await meanwhile(ends, () =>
    [overtaken, other].map((id) => ends.write(end(id, async () => void seen.push(id)))),
  );
  expect(results).toEqual([false, true]);
  expect(seen).toEqual([other]);
  expect(await stateOf(overtaken)).toMatchObject({ state: 'RUNNING' });
  expect(await stateOf(other)).toMatchObject({ state: 'FINISHED' });
});

test('an outcome that cannot be written fails alone', async () => {
  const [good, bad, better] = [await running(), await running(), await running()];
  const fails = async (tx: Tx) => void (await tx.rows(sql`select 1 / 0`));
  const ends = new Ends(db, NEVER_MS);
  const results = await meanwhile(ends, () => [
    ends.write(end(good)),
    ends.write(end(bad, fails)),
    ends.write(end(better)),
  ]);
  expect(results).toEqual([true, 'division by zero', true]);
  expect(await stateOf(bad)).toMatchObject({ state: 'RUNNING' });
  expect(await stateOf(better)).toMatchObject({ state: 'FINISHED' });
});

test('one that takes long to write keeps nobody waiting', async () => {
  const slow = gate();
  const ends = new Ends(db, 0);
  const written = ends.write(end(await running(), slow.commit));
  await slow.waiting;
  expect(await ends.write(end(await running()))).toBe(true);
  slow.open();
  expect(await written).toBe(true);
});
