import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { Db } from '../../platform/database/db.ts';
import { changedTasks, Horizon } from './changes.ts';

/** What streams of tasks wait for, and that they pass nothing. */

const WRITERS = 4;

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({
    connection: database.connection,
    log: pino({ level: 'silent' }),
    maxConnections: WRITERS + 4,
  });
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

/** @returns the number of the change */
async function insertTask(client: pg.Pool | pg.PoolClient): Promise<number> {
  const { rows } = await client.query(
    `insert into tasks (id, client_id, user_id, type, created_at, updated_at) values ($1, 1, 1, 'try', now(), now())
     returning change`,
    [randomUUID()],
  );
  return Number(rows[0].change);
}

/** Reads as a stream does, and keeps what it was sent. */
class Reader {
  readonly received: number[] = [];
  readonly #horizon = new Horizon(db);
  #after: number;

  constructor(after: number) {
    this.#after = after;
  }

  async look(): Promise<void> {
    const upTo = await this.#horizon.look();
    if (upTo <= this.#after) return;
    const rows = await changedTasks(db, 1, { after: this.#after, upTo }, {});
    this.received.push(...rows.map(({ change }) => change));
    this.#after = upTo;
  }
}

test('a transaction that writes no tasks holds up nothing, in this database or beside it', async () => {
  const beside = await createTestDatabase();
  const other = new Db({ connection: beside.connection, log: pino({ level: 'silent' }), maxConnections: 2 });
  const idle = await db.pool.connect();
  const elsewhere = await other.pool.connect();
  try {
    const horizon = new Horizon(db);
    // One that has a number of its own, and one of another database that even draws numbers of tasks.
    await idle.query('begin isolation level repeatable read');
    await idle.query(`insert into clients (name, email, created_at) values ('a', 'a@example.test', now())`);
    await elsewhere.query('begin');
    await insertTask(elsewhere);
    const change = await insertTask(db.pool);
    expect(await horizon.look()).toBe(change);
    expect(horizon.isBehind).toBe(false);
  } finally {
    for (const client of [idle, elsewhere]) {
      await client.query('rollback');
      client.release();
    }
    await other.close();
    await beside.drop();
  }
});

type Step = {
  readonly writer: number;
  readonly act: 'draw' | 'undo a part' | 'commit' | 'rollback' | 'look';
};
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    writer: fc.nat(WRITERS - 1),
    act: fc.constantFrom<Step['act'][]>('draw', 'draw', 'undo a part', 'commit', 'rollback', 'look', 'look'),
  }),
  { maxLength: 40 },
);

/** What one writer does, in a transaction that begins with its first step. */
class Writer {
  readonly #client: pg.PoolClient;
  #open = false;
  #mine: number[] = [];

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  /** @returns the changes that have been committed now */
  async act(act: Step['act']): Promise<number[]> {
    if (!this.#open && act !== 'draw') return [];
    if (!this.#open) await this.#client.query('begin');
    this.#open = act !== 'commit' && act !== 'rollback';
    if (act === 'draw') this.#mine.push(await insertTask(this.#client));
    if (act === 'undo a part') {
      await this.#client.query('savepoint part');
      await insertTask(this.#client);
      await this.#client.query('rollback to part');
    }
    if (this.#open) return [];
    const ended = this.#mine;
    this.#mine = [];
    await this.#client.query(act);
    return act === 'commit' ? ended : [];
  }
}

test('whatever order transactions draw and end in, each change is sent once, and in order', async () => {
  const clients = await Promise.all(Array.from({ length: WRITERS }, () => db.pool.connect()));
  const play = async (run: readonly Step[]) => {
    const reader = new Reader(await insertTask(db.pool));
    const writers = clients.map((client) => new Writer(client));
    const committed: number[] = [];
    for (const { writer, act } of run) {
      if (act === 'look') await reader.look();
      else committed.push(...((await writers[writer]?.act(act)) ?? []));
    }
    for (const writer of writers) committed.push(...(await writer.act('commit')));
    await reader.look();
    await reader.look();
    expect(reader.received).toEqual(committed.sort((a, b) => a - b));
  };
  try {
    await fc.assert(fc.asyncProperty(steps, play), { numRuns: 60, endOnFailure: true });
  } finally {
    for (const client of clients) client.release();
  }
});

test('a reader loses nothing beside writers that take turns with nobody', async () => {
  const reader = new Reader(await insertTask(db.pool));
  const committed: number[] = [];
  const write = async () => {
    for (let i = 0; i < 60; i++) {
      const client = await db.pool.connect();
      await client.query('begin');
      const mine = [await insertTask(client), await insertTask(client)];
      await client.query(i % 5 === 0 ? 'rollback' : 'commit');
      if (i % 5 > 0) committed.push(...mine);
      client.release();
    }
  };
  let writing = true;
  const read = async () => {
    while (writing) await reader.look();
  };
  const reading = read();
  await Promise.all(Array.from({ length: WRITERS }, write));
  writing = false;
  await reading;
  await waitUntil(
    async () => {
      await reader.look();
      return reader.received.length >= committed.length;
    },
    { what: 'all changes' },
  );
  expect(reader.received).toEqual(committed.sort((a, b) => a - b));
});
