import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { gate } from '../../../../test/harness/gate.ts';
import { PATIENCE_MS, waitUntil } from '../../../../test/harness/wait.ts';
import { Db, together } from './db.ts';
import { sql } from './sql.ts';

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 4 });
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

const insert = (name: string) => sql`insert into clients (name, email) values (${name}, '') returning name`;
const names = async () =>
  (await db.rows<{ name: string }>(sql`select name from clients order by id`)).map((r) => r.name);

test('statements that are started together run in their order, and give each its result', async () => {
  const results = await db.transaction((tx) =>
    together([tx.rows(insert('a')), tx.rows(insert('b')), Promise.resolve('no statement')]),
  );
  expect(results).toEqual([[{ name: 'a' }], [{ name: 'b' }], 'no statement']);
  expect(await names()).toEqual(['a', 'b']);
});

test('of statements that are started together the first fault is reported, and nothing is kept', async () => {
  const work = db.transaction((tx) => {
    const refused = tx.rows(insert('a')).then(() => {
      throw new Error('refused after its statement');
    });
    return together([refused, tx.rows(sql`select 1 / 0`)]);
  });
  await expect(work).rejects.toThrow('refused after its statement');
  expect(await names()).toEqual([]);
  // The connection goes on being of use, also for the statement that failed.
  await expect(db.rows(sql`select 1 / 0`)).rejects.toThrow('division by zero');
  await db.transaction((tx) => tx.rows(insert('b')));
  expect(await names()).toEqual(['b']);
});

test('a connection outlives what it refuses, and not what ends it', async () => {
  const one = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 1 });
  const pid = async () => (await one.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))?.pid;
  const first = await pid();
  await one.rows(insert('a'));
  const again = one.rows(sql`insert into clients (id, name, email) select id, name, email from clients`);
  await expect(again).rejects.toThrow('duplicate key');
  await expect(one.rows(sql`select no_such_column`)).rejects.toThrow('does not exist');
  expect(await pid()).toBe(first);
  const ended = one.rows(sql`select pg_terminate_backend(pg_backend_pid())`);
  await expect(ended).rejects.toThrow('terminating connection');
  expect(await pid()).not.toBe(first);
  await one.close();
});

test('what waits for the commit is called after it, and never when there is none', async () => {
  const calls: string[] = [];
  await db.transaction(async (tx) => {
    tx.afterCommit(() => calls.push('kept'));
    await tx.rows(insert('a'));
    expect(calls).toEqual([]);
  });
  const forgotten = db.transaction(async (tx) => {
    tx.afterCommit(() => calls.push('forgotten'));
    throw new Error('no');
  });
  await expect(forgotten).rejects.toThrow('no');
  expect(calls).toEqual(['kept']);
});

test('a statement that is sent with the commit is kept with all else, or nothing is', async () => {
  const settled: unknown[] = [];
  await db.transaction(async (tx) => {
    tx.atCommit(insert('b'), (rows) => settled.push(rows));
    await tx.rows(insert('a'));
  });
  expect(await names()).toEqual(['a', 'b']);
  expect(settled).toEqual([[{ name: 'b' }]]);
  const called: string[] = [];
  const faulty = db.transaction(async (tx) => {
    tx.afterCommit(() => called.push('committed'));
    tx.atCommit(sql`select 1 / 0`, (rows) => settled.push(rows));
    await tx.rows(insert('c'));
  });
  await expect(faulty).rejects.toThrow('division by zero');
  expect(await names()).toEqual(['a', 'b']);
  expect(settled.slice(1)).toEqual([undefined]);
  expect(called).toEqual([]);
  const left = db.transaction(async (tx) => {
    tx.atCommit(insert('d'), () => called.push('sent'));
    throw new Error('no');
  });
  await expect(left).rejects.toThrow('no');
  expect(called).toEqual([]);
});

test('a transaction is done again when what is sent with its commit has changed', async () => {
  let attempts = 0;
  await db.transaction(async (tx) => {
    attempts += 1;
    await tx.rows(insert(`attempt ${attempts}`));
    tx.atCommit(sql`select repeat_unless(${attempts > 1})`, () => undefined);
  });
  expect(await names()).toEqual(['attempt 2']);
});

test('notifications reach listeners, those of one moment in one statement', async () => {
  const listener = await db.pool.connect();
  const heard: string[] = [];
  listener.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`));
  await listener.query('listen test_a; listen test_b');
  for (const payload of ['1', '2']) db.notify('test_a', payload);
  db.notify('test_b', '3');
  await waitUntil(() => heard.length === 3, { what: 'three notifications' });
  expect(heard).toEqual(['test_a 1', 'test_a 2', 'test_b 3']);
  listener.release(true);
});

test('an answer that does not come is not waited for for ever, and nothing of its transaction is kept', async () => {
  const impatient = new Db({
    connection: database.connection,
    log: pino({ level: 'silent' }),
    maxConnections: 1,
    patienceMs: 200,
  });
  const stuck = (queryable: Pick<Db, 'rows'>) => queryable.rows(sql`select pg_sleep(60)`);
  await expect(stuck(impatient)).rejects.toThrow('timeout');
  const work = impatient.transaction(async (tx) => {
    await tx.rows(insert('a'));
    await stuck(tx);
  });
  await expect(work).rejects.toThrow('timeout');
  // Its only connection is good again.
  expect(await impatient.rows(sql`select name from clients`)).toEqual([]);
  await impatient.close();
  const others = `pid <> pg_backend_pid() and datname = current_database() and query like '%pg_sleep(60)%'`;
  await db.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
});

test('a statement that blocks another one, and loses, is made again', async () => {
  const points = (...keys: string[]) =>
    sql`select take_points(${keys.map((key) => Buffer.from(key))}::bytea[], ${keys.map(() => 9)}::int[],
                           ${keys.map(() => 60)}::int[], now())`;
  // On a busy machine it takes long to see one wait; the transaction must not be given up meanwhile.
  const patient = new Db({
    connection: database.connection,
    log: pino({ level: 'silent' }),
    idleInTransactionMs: 2 * PATIENCE_MS,
  });
  const isWaiting = () =>
    patient.any(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  const statements: Promise<unknown>[] = [];
  await patient.transaction(async (tx) => {
    await tx.rows(points('a'));
    // PostgreSQL looks for circles a second after a lock is waited for: on a busy machine the transaction may be the one
    // that loses, and is made again beside a second statement.
    let hasEnded = false;
    const statement = patient.rows(points('b', 'a')).finally(() => {
      hasEnded = true;
    });
    statements.push(statement);
    await waitUntil(async () => hasEnded || isWaiting(), { what: 'the statement to wait' });
    expect(hasEnded).toBe(false);
    await tx.rows(points('b'));
  });
  for (const statement of statements) expect(await statement).toHaveLength(1);
  await patient.close();
});

test('a process has 21 connections at most, as the documents say', async () => {
  // Nobody may give up, however long all of them take to connect.
  const patient = { connectionTimeoutMillis: PATIENCE_MS, application_name: 'budget' };
  const busy = new Db({
    connection: { ...database.connection, ...patient },
    log: pino({ level: 'silent' }),
    idleInTransactionMs: PATIENCE_MS,
    livenessMs: PATIENCE_MS,
  });
  const { open, opened } = gate();
  const waits = Array.from({ length: 25 }, () =>
    busy.liveness.during(() => busy.transaction((tx) => tx.rows(sql`select 1`).then(() => opened))),
  );
  const count = async () => db.rows(sql`select from pg_stat_activity where application_name = 'budget'`);
  await waitUntil(async () => (await count()).length === 21, { what: 'all connections to be used' });
  open();
  await Promise.all(waits);
  expect(await count()).toHaveLength(21);
  await busy.close();
  const operations = path.join(import.meta.dirname, '../../../../docs/operations.md');
  expect(readFileSync(operations, 'utf8')).toContain('A process has up to 21 connections');
});

test('an object that inherits from a database works like it', async () => {
  const heir = Object.create(db) as Db;
  expect(await heir.rows(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  expect(await heir.transaction(async (tx) => tx.rows(sql`select 1 as one`))).toHaveLength(1);
});

test('a process that freezes within a transaction does not keep its locks', async () => {
  const [{ limit } = { limit: '' }] = await db.rows<{ limit: string }>(
    sql`select current_setting('idle_in_transaction_session_timeout') as limit`,
  );
  expect(limit).toBe('10s');

  await db.rows(insert('needed by two'));
  const { connection } = database;
  const log = pino({ level: 'silent' });
  const frozen = new Db({ connection, log, maxConnections: 1, idleInTransactionMs: 200 });
  const lock = sql`update clients set name = name where name = 'needed by two' returning 1`;
  let thaw = () => {};
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const work = frozen.transaction(async (tx) => {
    await tx.run(lock);
    locked();
    await thawed;
    await tx.run(sql`select 1`);
  });
  const failed = expect(work).rejects.toThrow();
  await isLocked;
  expect(await db.rows(lock)).toHaveLength(1);
  thaw();
  await failed;
  await frozen.close();
});

test('what the database has set for other programs changes nothing', async () => {
  const settings = {
    datestyle: 'German',
    timezone: 'Asia/Kolkata',
    default_transaction_isolation: 'serializable',
    quote_all_identifiers: 'on',
    statement_timeout: '1ms',
  };
  const { database: name } = database.connection;
  for (const [setting, value] of Object.entries(settings))
    await db.pool.query(`alter database ${name} set ${setting} = '${value}'`);
  const { connection } = database;
  const other = new Db({ connection, log: pino({ level: 'silent' }), maxConnections: 1 });
  const rows =
    await other.rows<object>(sql`select '2026-11-26T12:00:00Z'::timestamptz as at, '2026-11-26T12:00:00Z'::timestamptz::text as text,
            current_setting('transaction_isolation') as isolation, quote_ident('month') as quoted,
            pg_sleep(0.01)::text as waited`);
  await other.close();
  await db.pool.query(`alter database ${name} reset all`);
  expect(rows).toEqual([
    {
      at: new Date('2026-11-26T12:00:00Z'),
      text: '2026-11-26 12:00:00+00',
      isolation: 'read committed',
      quoted: 'month',
      waited: '',
    },
  ]);
});
