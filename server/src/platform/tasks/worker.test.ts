import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
});

afterEach(() => server.close());

const create = (name: string) => server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name } });

test('a worker that cannot write down that a job is done begins anew, and goes on working', async () => {
  await server.db.pool.query(`
    create function break_queue() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger break_queue before delete on graphile_worker._private_jobs
      for each row execute function break_queue()`);
  expect(await server.ended(await create('one'))).toMatchObject({ state: 'FINISHED' });
  const [before] = await workers();
  await waitUntil(async () => (await workers()).some((id) => id !== before), {
    what: 'the worker to begin anew',
    timeoutMs: 20_000,
  });
  await server.db.pool.query('drop function break_queue cascade');
  expect(await server.ended(await create('two'))).toMatchObject({ state: 'FINISHED' });
  await waitUntil(async () => (await jobs()) === 0, { what: 'the queue to be empty', timeoutMs: 20_000 });
});

test('a task that the database could not take for a while goes on soon after, whatever the queue thinks', async () => {
  await server.db.pool.query(`
    create function break_tasks() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger break_tasks before update on tasks for each row execute function break_tasks()`);
  const reply = await create('one');
  const delayed = await waitUntil(
    async () => {
      const { rowCount } = await server.db.pool.query(
        `update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where last_error is not null`,
      );
      return rowCount === 1;
    },
    { what: 'the queue to fail' },
  );
  expect(delayed).toBe(true);
  await server.db.pool.query('drop function break_tasks cascade');
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a task whose job was given to a worker that never heard of it is done all the same', async () => {
  // As when the database dies between the two.
  await server.db.pool.query(`
    create function give_away() returns trigger language plpgsql as $$ begin
      new.locked_by := (select id from workers limit 1);
      new.locked_at := now();
      new.attempts := 1;
      return new;
    end $$;
    create trigger give_away before insert on graphile_worker._private_jobs
      for each row execute function give_away()`);
  const reply = await create('one');
  await server.db.pool.query('drop function give_away cascade');
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a job that takes long stays with the worker that does it', async () => {
  const applied: string[] = [];
  const slow = await startTestServer({
    aroundProvider: (provider) => {
      const balancers = provider.loadBalancers;
      if (!balancers) return provider;
      const apply: typeof balancers.apply = async (...args) => {
        applied.push(args[1].key);
        await delay(4000);
        return balancers.apply(...args);
      };
      return { ...provider, loadBalancers: { ...balancers, apply } };
    },
  });
  const reply = await slow.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name: 'slow' } });
  expect(await slow.ended(reply)).toMatchObject({ state: 'FINISHED' });
  expect(applied).toEqual(reply.body.tasks);
  await slow.close();
}, 30_000);

async function workers(): Promise<string[]> {
  const rows = await server.db.named<{ id: string }>('test_workers', 'select id from workers', []);
  return rows.map(({ id }) => id);
}

async function jobs(): Promise<number> {
  const [row] = await server.db.named<{ n: number }>(
    'test_job_count',
    'select count(*) as n from graphile_worker.jobs',
    [],
  );
  return row?.n ?? 0;
}
