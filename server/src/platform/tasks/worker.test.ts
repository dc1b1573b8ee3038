import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finished } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
});

afterEach(() => server.close());

const create = (name: string) => server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name } });

/** Lets a trigger do this to rows of tasks. */
const sabotage = (trigger: string, on: string, what: string) =>
  server.db.pool.query(`
    create function ${trigger}() returns trigger language plpgsql as $$ begin ${what} end $$;
    create trigger ${trigger} before ${on} execute function ${trigger}()`);

/** Ends what a trigger does. It stays: without it the parts of the table of tasks would be locked one after the other,
 *  in another order than by tasks. */
const heal = (trigger: string) =>
  server.db.pool.query(
    `create or replace function ${trigger}() returns trigger language plpgsql as $$ begin return new; end $$`,
  );

test('a task that the database could not update for a while goes on soon after', async () => {
  await sabotage('break_tasks', 'update on tasks for each row', `raise 'the disk is full';`);
  const reply = await create('one');
  await heal('break_tasks');
  await finished(server, reply);
});

test('a task whose outcome could not be written is claimed again when its lease is over', async () => {
  await sabotage(
    'break_ends',
    'update on tasks for each row when (new.lease_until is null)',
    `raise 'the disk is full';`,
  );
  const reply = await create('one');
  const attempts = async () => {
    const { rows } = await server.db.pool.query('select attempt from tasks where id = $1', reply.body.tasks);
    return rows[0].attempt;
  };
  await expect.poll(attempts).toBeGreaterThan(0);
  await heal('break_ends');
  await finished(server, reply);
});

test('a task that was given to a worker that never heard of it is done all the same', async () => {
  // As when the database dies between the two.
  await sabotage(
    'give_away',
    'insert on tasks for each row',
    `new.state := 'RUNNING';
     new.attempt := 7;
     new.lease_until := now() + interval '3 seconds';
     return new;`,
  );
  const reply = await create('one');
  await heal('give_away');
  await finished(server, reply);
});

test('a task that no worker was notified of is found', async () => {
  await sabotage(
    'keep_quiet',
    'insert on tasks_active for each row',
    `new.state := 'NEW';
     new.attempt := 0;
     new.lease_until := null;
     new.run_at := now() + interval '300 milliseconds';
     return new;`,
  );
  const reply = await create('one');
  await finished(server, reply);
});

/** What the table of tasks said of each when it was recorded. */
async function recorded(): Promise<
  () => Promise<readonly { state: string; attempt: number; leased: boolean }[]>
> {
  await server.db.pool.query(`
    create table recorded (state text, attempt int, leased boolean);
    create function note_task() returns trigger language plpgsql as $$ begin
      insert into recorded values (new.state, new.attempt, coalesce(new.lease_until > now(), false));
      return null;
    end $$;
    create trigger note_task after insert on tasks_active for each row execute function note_task()`);
  return async () => (await server.db.pool.query('select * from recorded')).rows;
}

test('a task is claimed with the write that records it, by the node that accepts it', async () => {
  const seen = await recorded();
  const reply = await create('one');
  await finished(server, reply);
  expect(await seen()).toEqual([{ state: 'RUNNING', attempt: 1, leased: true }]);
  const { rows } = await server.db.pool.query('select attempt from tasks where id = $1', reply.body.tasks);
  expect(rows).toEqual([{ attempt: 1 }]);
});

test('a task of a region that another node owns is left to that node', async () => {
  const seen = await recorded();
  const owner = randomUUID();
  await server.db.pool.query(
    `insert into region_owners (region_id, holder, node, renewed_at) values (2, $1, 'other', now())`,
    [owner],
  );
  const reply = await create('one');
  expect(await seen()).toEqual([{ state: 'NEW', attempt: 0, leased: false }]);
  await server.db.pool.query('delete from region_owners where holder = $1', [owner]);
  await finished(server, reply);
});

test('a task of a region that a node does not know yet waits for a node that does', async () => {
  const older: typeof server.providers = Object.create(server.providers, {
    of: {
      value: (port: 'loadBalancers') => (id: number) =>
        id === 2 ? undefined : server.providers.of(port)(id),
    },
    regionIds: { value: () => server.providers.regionIds().filter((id) => id !== 2) },
  });
  const stranger = server.newApp({ providers: older });
  await server.app.worker.stop();
  await stranger.worker.start();
  const reply = await create('one');
  // Its turn would have been before this one's.
  await finished(server, await server.call('POST', '/cloud/v1/loadbalancers/1/1', { body: { name: 'two' } }));
  await stranger.worker.stop();
  const { body } = await server.call('GET', `/cloud/v1/tasks/${reply.body.tasks[0]}`);
  expect(body).toMatchObject({ state: 'NEW', error: null });
  await server.restart();
  await finished(server, reply);
});

test('nobody works on a task whose transaction could not be committed', async () => {
  await server.db.pool.query(`
    create function refuse_commit() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create constraint trigger refuse_commit after insert on tasks_active deferrable initially deferred
      for each row execute function refuse_commit()`);
  const applied: unknown[] = [];
  const run = server.app.engine.run.bind(server.app.engine);
  server.app.engine.run = (task) => {
    applied.push(task.subject_name);
    return run(task);
  };
  expect((await create('one')).status).toBe(500);
  await heal('refuse_commit');
  await finished(server, create('two'));
  expect(applied).toEqual(['two']);
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
  await finished(slow, reply);
  expect(applied).toEqual(reply.body.tasks);
  await slow.close();
});
