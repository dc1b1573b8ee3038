import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { randomIds } from '../../kernel/ids.ts';
import { Db } from '../database/db.ts';
import type { RequestContext } from '../http/context.ts';
import { TaskEngine } from './engine.ts';
import { done, type TaskHandler, wait } from './handler.ts';
import { startTask } from './start.ts';
import { dropDeadJobs, requeueOrphans } from './store.ts';

let database: TestDatabase;
let db: Db;
let clock: Clock & { advance(ms: number): void };
const log = pino({ level: 'silent' });

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log, maxConnections: 4 });
  await db.named('test_client', `insert into clients (name, email) values ('One', 'one@virga.test')`, []);
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
  return { db, clock, ids: randomIds(), log, requestId: 'r', caller, remoteAddress: '127.0.0.1' };
}

async function start(type = 'try'): Promise<string> {
  const ref = await db.transaction((tx) =>
    startTask(tx, context(), { type, subject: 's', name: 'n', projectId: 1, regionId: 1 }),
  );
  return ref.tasks[0] ?? '';
}

const engineWith = (handler: Partial<TaskHandler>) =>
  new TaskEngine({
    db,
    clock,
    log,
    handlers: [
      { type: 'try', deadlineMs: 60_000, run: async () => done(), undo: async () => done(), ...handler },
    ],
  });

async function read(id: string) {
  const [row] = await db.named<{
    state: string;
    error: string | null;
    created_resources: Record<string, string[]> | null;
    progress: number;
    step: string | null;
  }>('test_task', 'select state, error, created_resources, progress, step from tasks where id = $1', [id]);
  return row;
}

const jobs = () =>
  db.named<{ key: string }>('test_jobs', 'select key from graphile_worker.jobs where key is not null', []);

test('a finished task names what it created, and every other kind as an empty array', async () => {
  const id = await start();
  await engineWith({ run: async () => done({ loadbalancers: ['lb'] }) }).runTask(id);
  const task = await read(id);
  expect(task).toMatchObject({ state: 'FINISHED', error: null, progress: 100 });
  expect(task?.created_resources?.loadbalancers).toEqual(['lb']);
  expect(task?.created_resources?.l7polices).toEqual([]);
  expect(Object.keys(task?.created_resources ?? {})).toHaveLength(36);
});

test('a task that waits shows how far it is, and keeps a job', async () => {
  const id = await start();
  await engineWith({ run: async () => wait(10_000, 40, 'pouring concrete') }).runTask(id);
  expect(await read(id)).toMatchObject({ state: 'RUNNING', progress: 40, step: 'pouring concrete' });
  expect((await jobs()).map((job) => job.key)).toEqual([id]);
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
  let runs = 0;
  const engine = engineWith({
    run: async () => {
      runs++;
      throw new Error('connection reset');
    },
  });
  await engine.runTask(id);
  await engine.runTask(id);
  expect(runs).toBe(2);
  expect(await read(id)).toMatchObject({ state: 'RUNNING', error: null });
  clock.advance(61_000);
  await engine.runTask(id);
  await engine.runTask(id);
  expect(runs).toBe(2);
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
        await tx.named('test_write', `update clients set name = 'changed'`, []);
        throw new Error('the connection is gone');
      }),
  }).runTask(id);
  expect(await read(id)).toMatchObject({ state: 'RUNNING' });
  const [client] = await db.named<{ name: string }>('test_read', 'select name from clients', []);
  expect(client?.name).toBe('One');
});

test('a task that has ended does not run again', async () => {
  const id = await start();
  let runs = 0;
  const engine = engineWith({
    run: async () => {
      runs++;
      return done();
    },
  });
  await engine.runTask(id);
  await engine.runTask(id);
  expect(runs).toBe(1);
});

test('an unfinished task whose job was lost gets a new one', async () => {
  const id = await start();
  await db.named('test_lose', 'delete from graphile_worker._private_jobs', []);
  await db.named('test_age', `update tasks set updated_at = now() - interval '1 minute'`, []);
  expect(await requeueOrphans(db)).toBe(1);
  expect((await jobs()).map((job) => job.key)).toEqual([id]);
  expect(await requeueOrphans(db)).toBe(0);
});

test('what a dead worker left of a replaced job is removed', async () => {
  const id = await start();
  await db.named(
    'test_dead',
    `update graphile_worker._private_jobs set key = null, attempts = max_attempts where key = $1`,
    [id],
  );
  await dropDeadJobs(db);
  expect(await db.named('test_left', 'select 1 from graphile_worker.jobs', [])).toEqual([]);
});

test('a job is ordered exactly as the queue itself would order it', async () => {
  // The first one of its kind is ordered by the queue, the second without it.
  const ids = [await start(), await start()];
  const { rows } = await db.pool.query(
    `select to_jsonb(j) - 'id' - 'key' - 'payload' - 'run_at' - 'created_at' - 'updated_at' as same, key, payload,
            run_at = created_at as at_once from graphile_worker._private_jobs j order by id`,
  );
  expect(rows.map(({ key, payload }) => [key, payload])).toEqual(ids.map((id) => [id, { task: id }]));
  expect(rows[1]).toMatchObject({ at_once: true, same: rows[0].same });
});

test('a task that two jobs of this process ask for at one moment runs once', async () => {
  let runs = 0;
  const engine = engineWith({
    run: async () => {
      runs++;
      return done();
    },
  });
  const id = await start();
  await Promise.all([engine.runTask(id), engine.runTask(id)]);
  expect({ runs, state: (await read(id))?.state }).toEqual({ runs: 1, state: 'FINISHED' });
});
