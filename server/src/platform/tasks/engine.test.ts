import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { randomIds } from '../../kernel/ids.ts';
import { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { RequestContext } from '../http/context.ts';
import { Cipher, KEY_BYTES } from '../secrets/cipher.ts';
import { TaskEngine } from './engine.ts';
import { done, type TaskHandler, wait } from './handler.ts';
import { startTask } from './start.ts';

let database: TestDatabase;
let db: Db;
let clock: Clock & { advance(ms: number): void };
const log = pino({ level: 'silent' });

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log, maxConnections: 4 });
  await db.run(sql`insert into clients (name, email) values ('One', 'one@virga.test')`);
  clock = movableClock();
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

function movableClock(): Clock & { advance(ms: number): void } {
  const real = systemClock();
  let offset = 0;
  const now = () => new Date(real.now().getTime() + offset);
  const advance = (ms: number) => {
    offset += ms;
  };
  return { now, timestamp: () => now().toISOString(), advance };
}

function context(): RequestContext {
  const caller = { tokenId: 1, clientId: 1, userId: 1, role: 'Administrators' as const };
  const revocation = () => new AbortController().signal;
  const cipher = new Cipher([randomBytes(KEY_BYTES)]);
  const peer = { remoteAddress: '127.0.0.1', secure: false, publicUrl: undefined, userAgent: null };
  return { ...peer, db, clock, ids: randomIds(), cipher, log, requestId: 'r', caller, revocation };
}

async function start(type = 'try'): Promise<string> {
  const ref = await db.transaction((tx) =>
    startTask(tx, context(), { type, subject: 's', name: 'n', projectId: 1, regionId: 1 }),
  );
  return ref.tasks[0] ?? '';
}

const engineWith = (handler: Partial<TaskHandler>, said: Logger = log) =>
  new TaskEngine({
    db,
    clock,
    log: said,
    handlers: [
      { type: 'try', deadlineMs: 60_000, run: async () => done(), undo: async () => done(), ...handler },
    ],
  });

async function read(id: string) {
  const [row] = await db.rows<{
    state: string;
    error: string | null;
    created_resources: Record<string, string[]> | null;
    progress: number;
    step: string | null;
  }>(sql`select state, error, created_resources, progress, step from tasks where id = ${id}`);
  return row;
}

/** When it is due again, in seconds; null while somebody has it. */
async function dueIn(id: string): Promise<number | null> {
  const [row] = await db.rows<{
    due: number | null;
  }>(sql`select case when lease_until is null then extract(epoch from run_at - now())::float8 end as due
       from tasks where id = ${id}`);
  return row?.due ?? null;
}

test('a finished task names what it created, and nothing is kept of other kinds', async () => {
  const id = await start();
  await engineWith({ run: async () => done({ loadbalancers: ['lb'] }) }).runTask(id);
  const task = await read(id);
  expect(task).toMatchObject({ state: 'FINISHED', error: null, progress: 100 });
  expect(task?.created_resources).toEqual({ loadbalancers: ['lb'] });
});

test('a task that waits shows how far it is, and is due again when it said', async () => {
  const id = await start();
  await engineWith({ run: async () => wait(10_000, 40, 'pouring concrete') }).runTask(id);
  expect(await read(id)).toMatchObject({ state: 'RUNNING', progress: 40, step: 'pouring concrete' });
  const due = await dueIn(id);
  expect(due).toBeGreaterThan(0);
  expect(due).toBeLessThanOrEqual(10);
});

test('a failed task is undone first, and then an ERROR with its reason and no resources', async () => {
  const id = await start();
  const order: string[] = [];
  const engine = engineWith({
    run: async () => {
      order.push('run');
      throw new TaskFailed('no room');
    },
    undo: async (_run, reason) => {
      order.push(`undo: ${reason}`);
      return done();
    },
  });
  await engine.runTask(id);
  expect(await read(id)).toMatchObject({ state: 'RUNNING', error: null });
  await engine.runTask(id);
  expect(await read(id)).toMatchObject({ state: 'ERROR', error: 'no room', created_resources: null });
  expect(order).toEqual(['run', 'undo: no room']);
});

test('anything else that is thrown is tried again, until the deadline', async () => {
  const id = await start();
  const run = vi.fn(async () => {
    throw new Error('connection reset');
  });
  const engine = engineWith({ run });
  await engine.runTask(id);
  await engine.runTask(id);
  expect(run).toHaveBeenCalledTimes(2);
  expect(await read(id)).toMatchObject({ state: 'RUNNING', error: null });
  clock.advance(61_000);
  await engine.runTask(id);
  await engine.runTask(id);
  expect(run).toHaveBeenCalledTimes(2);
  expect(await read(id)).toMatchObject({ state: 'ERROR', error: 'try was not done within 60 s' });
});

test('a run that was overtaken changes nothing', async () => {
  const id = await start();
  const commits: string[] = [];
  const commit = (name: string) => async () => void commits.push(name);
  let overtake: () => Promise<void> = async () => {};
  const slow = engineWith({
    run: async () => {
      await overtake();
      return done({ loadbalancers: ['late'] }, commit('late'));
    },
  });
  const quick = engineWith({ run: async () => done({ loadbalancers: ['first'] }, commit('first')) });
  overtake = () => quick.runTask(id);
  await slow.runTask(id);
  expect(commits).toEqual(['first']);
  expect((await read(id))?.created_resources?.loadbalancers).toEqual(['first']);
});

test('the outcome and FINISHED are written together or not at all', async () => {
  const id = await start();
  await engineWith({
    run: async () =>
      done({}, async (tx) => {
        await tx.run(sql`update clients set name = 'changed'`);
        throw new Error('the connection is gone');
      }),
  }).runTask(id);
  expect(await read(id)).toMatchObject({ state: 'RUNNING' });
  const [client] = await db.rows<{ name: string }>(sql`select name from clients`);
  expect(client?.name).toBe('One');
});

test('a task that has ended does not run again', async () => {
  const id = await start();
  const run = vi.fn(async () => done());
  const engine = engineWith({ run });
  await engine.runTask(id);
  await engine.runTask(id);
  expect(run).toHaveBeenCalledTimes(1);
});

test('what a tenant is not told of a failure is in the log', async () => {
  const lines: string[] = [];
  const said = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const id = await start();
  const run = async () => {
    throw new TaskFailed('the port is in use', { cause: new Error('the port is in use by nginx (pid 7)') });
  };
  const engine = engineWith({ run }, said);
  await engine.runTask(id);
  await engine.runTask(id);
  expect(await read(id)).toMatchObject({ state: 'ERROR', error: 'the port is in use' });
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'task failed: the port is in use by nginx (pid 7)',
  ]);
});
