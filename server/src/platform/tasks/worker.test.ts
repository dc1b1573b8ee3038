import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
});

afterEach(() => server.close());

const create = (name: string) => server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name } });

test('a task that the database could not update for a while goes on soon after', async () => {
  await server.db.pool.query(`
    create function break_tasks() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger break_tasks before update on tasks for each row execute function break_tasks()`);
  const reply = await create('one');
  await server.db.pool.query('drop function break_tasks cascade');
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a task whose outcome could not be written is claimed again when its lease is over', async () => {
  await server.db.pool.query(`
    create function break_ends() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger break_ends before update on tasks for each row when (new.lease_until is null)
      execute function break_ends()`);
  const reply = await create('one');
  const attempts = async () => {
    const { rows } = await server.db.pool.query('select attempt from tasks where id = $1', reply.body.tasks);
    return rows[0].attempt;
  };
  await expect.poll(attempts).toBeGreaterThan(0);
  await server.db.pool.query('drop function break_ends cascade');
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a task that was given to a worker that never heard of it is done all the same', async () => {
  // As when the database dies between the two.
  await server.db.pool.query(`
    create function give_away() returns trigger language plpgsql as $$ begin
      new.state := 'RUNNING';
      new.attempt := 1;
      new.lease_until := now() + interval '3 seconds';
      return new;
    end $$;
    create trigger give_away before insert on tasks for each row execute function give_away()`);
  const reply = await create('one');
  await server.db.pool.query('drop function give_away cascade');
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a task that no worker was notified of is found', async () => {
  await server.db.pool.query(`
    create function keep_quiet() returns trigger language plpgsql as $$ begin
      new.run_at := now() + interval '300 milliseconds';
      return new;
    end $$;
    create trigger keep_quiet before insert on tasks for each row execute function keep_quiet()`);
  const reply = await create('one');
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a task that takes long stays with the worker that does it', async () => {
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
});
