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
