import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { finished } from '../../../../test/harness/project.ts';
import { type Reply, startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { sql } from '../../platform/database/sql.ts';
import { keepEpoch } from './epochs.ts';

const server = shared(startTestServer);

let names = 0;
async function deleteSomething(): Promise<Reply> {
  const created = await server.call('POST', '/cloud/v1/projects', { body: { name: `project ${names++}` } });
  return server.call('DELETE', `/cloud/v1/projects/${created.body.id}`);
}

/** A promise, and what fulfils it. */
function signal(): readonly [Promise<void>, () => void] {
  let fulfil: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    fulfil = resolve;
  });
  return [promise, fulfil];
}

/** Keeps the task running until the function ends: what its outcome writes is locked. */
async function whileRunning<T>(
  server: TestServer,
  work: (taskId: string, release: () => void) => Promise<T>,
): Promise<T> {
  const [locked, lock] = signal();
  const [released, release] = signal();
  const created = await server.call('POST', '/cloud/v1/projects', { body: { name: `held ${names++}` } });
  const holding = server.db.transaction(async (tx) => {
    await tx.run(sql`select 1 from quota_counters where name = 'project_count' for update`);
    lock();
    await released;
  });
  await locked;
  const taskId = (await server.call('DELETE', `/cloud/v1/projects/${created.body.id}`)).body.tasks[0];
  try {
    return await work(taskId, release);
  } finally {
    release();
    await holding;
  }
}

describe('?wait', () => {
  test('answers the moment the task ends', async () => {
    const task = await whileRunning(server, async (id, release) => {
      const waiting = server.call('GET', `/cloud/v1/tasks/${id}?wait=30`);
      await waitUntil(
        async () => (await server.call('GET', `/cloud/v1/tasks/${id}`)).body.state === 'RUNNING',
        {
          what: 'the task to run',
        },
      );
      release();
      return waiting;
    });
    expect(task.body.state).toBe('FINISHED');
  });

  test('answers at once for a task that has ended, and with the running task when the time is over', async () => {
    const ended = await server.ended(await deleteSomething());
    expect((await server.call('GET', `/cloud/v1/tasks/${ended.id}?wait=60`)).body.state).toBe('FINISHED');
    await whileRunning(server, async (id) => {
      const reply = await server.call('GET', `/cloud/v1/tasks/${id}?wait=1`);
      expect(['NEW', 'RUNNING']).toContain(reply.body.state);
    });
  });

  test.each(['61', '-1', 'x', '1.5'])('wait=%s is 400', async (wait) => {
    const reply = await server.call(
      'GET',
      `/cloud/v1/tasks/6ba7b810-9dad-41d1-80b4-00c04fd430c8?wait=${wait}`,
    );
    expect(reply).toMatchObject({ status: 400, body: { invalid_fields: { wait: [expect.any(String)] } } });
  });
});

interface Event {
  readonly id: string;
  readonly task: { id: string; state: string; project_id: number };
}

/** Follows the stream over a real connection. */
async function follow(query: string, lastEventId?: string) {
  if (!server.api.server.listening) await server.api.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.api.server.address() as AddressInfo;
  const abort = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/cloud/v1/tasks/stream${query}`, {
    signal: abort.signal,
    headers: {
      authorization: `APIKey ${server.tokens.Administrators}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const events: Event[] = [];
  const resets: string[] = [];
  const changes: Record<string, unknown>[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (/^event: reset$/m.test(block)) resets.push(block);
        else if (/^event: change$/m.test(block)) changes.push(JSON.parse(data ?? ''));
        else if (id && data) events.push({ id, task: JSON.parse(data) });
      }
    }
  })().catch(() => undefined);
  const stop = async () => {
    abort.abort();
    await reading;
  };
  return { response, events, resets, changes, stop };
}

describe('a read of a young task', () => {
  /** For which a task is young: longer than the test. */
  const young = shared(() => startTestServer({ taskReads: { youngMs: 3_600_000 } }));

  test('is answered at its end, unless it asks for an answer at once', async () => {
    const task = await whileRunning(young, async (id, release) => {
      const plain = young.call('GET', `/cloud/v1/tasks/${id}`);
      const atOnce = await young.call('GET', `/cloud/v1/tasks/${id}?wait=0`);
      expect(['NEW', 'RUNNING']).toContain(atOnce.body.state);
      release();
      return plain;
    });
    expect(task.body.state).toBe('FINISHED');
  });

  test('is answered with the running task when it is young no more', async () => {
    await whileRunning(server, async (id) => {
      const reply = await server.call('GET', `/cloud/v1/tasks/${id}`);
      expect(['NEW', 'RUNNING']).toContain(reply.body.state);
    });
  });
});

describe('the stream of tasks', () => {
  test('sends every task that ends while it is followed', async () => {
    const stream = await follow('');
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    const task = await server.ended(await deleteSomething());
    await waitUntil(() => stream.events.some((e) => e.task.id === task.id && e.task.state === 'FINISHED'), {
      what: 'the end of the task on the stream',
    });
    await stream.stop();
  });

  test('resumes after the last id, without a gap and without a repetition', async () => {
    const first = await follow('?state=FINISHED');
    const before = await server.ended(await deleteSomething());
    await waitUntil(() => first.events.some((event) => event.task.id === before.id), {
      what: 'the first event',
    });
    await first.stop();
    const missed = [await server.ended(await deleteSomething()), await server.ended(await deleteSomething())];
    const second = await follow('?state=FINISHED', first.events.at(-1)?.id);
    await waitUntil(() => missed.every((task) => second.events.some((event) => event.task.id === task.id)), {
      what: 'the missed events',
    });
    expect(second.events.map((event) => event.task.id)).not.toContain(before.id);
    await second.stop();
  });

  test('filters by project, region and state', async () => {
    const stream = await follow('?project_id=999&state=FINISHED');
    const all = await follow('?state=FINISHED');
    const task = await server.ended(await deleteSomething());
    await waitUntil(() => all.events.some((event) => event.task.id === task.id), { what: 'the event' });
    expect(stream.events).toEqual([]);
    await Promise.all([stream.stop(), all.stop()]);
  });

  test('has to begin anew where its last id means nothing any more', async () => {
    const former = '1234-6ba7b810-9dad-41d1-80b4-00c04fd430c8';
    for (const id of ['0123abcd-5', former]) {
      const stream = await follow('', id);
      await waitUntil(() => stream.resets.length === 1, { what: 'the reset' });
      const task = await server.ended(await deleteSomething());
      await waitUntil(() => stream.events.some((event) => event.task.id === task.id), { what: 'the event' });
      await stream.stop();
    }
  });

  test('says so when the database is replaced while it is open by one that has not come as far', async () => {
    // What the lost one did last never happened here.
    const [last] = await server.db.rows<{ change: number }>(sql`select nextval('task_changes') change`);
    await server.db.run(sql`select setval('task_changes', ${last?.change}::bigint + 1000)`);
    const stream = await follow('');
    await finished(server, deleteSomething());
    await waitUntil(() => stream.events.length > 0, { what: 'an event' });
    await server.db.run(sql`update tasks set change = 1 where change > ${last?.change}::bigint`);
    await server.db.run(sql`select setval('task_changes', ${last?.change}::bigint)`);
    await server.db.run(sql`update task_epochs set identity = 'the lost one'`);
    await waitUntil(() => stream.resets.length === 1, { what: 'the reset' });
    const task = await server.ended(await deleteSomething());
    await waitUntil(() => stream.events.some((event) => event.task.id === task.id), { what: 'the event' });
    await stream.stop();
  });

  test('goes on in the new epoch when nothing was lost', async () => {
    const stream = await follow('');
    await finished(server, deleteSomething());
    await waitUntil(() => stream.events.length > 0, { what: 'an event' });
    const epoch = stream.events[0]?.id.split('-')[0];
    await server.db.run(sql`update task_epochs set identity = 'before the fail-over'`);
    await keepEpoch(server.db);
    const task = await server.ended(await deleteSomething());
    await waitUntil(() => stream.events.some((event) => event.task.id === task.id), { what: 'the event' });
    expect(stream.events.at(-1)?.id.split('-')[0]).not.toBe(epoch);
    expect(stream.resets).toEqual([]);
    await stream.stop();
  });

  test('carries what changes without a task, of its own account alone, if it is asked to', async () => {
    const [requested, plain] = [await follow('?changes=true'), await follow('')];
    const makeKey = (name: string, as?: 'other client') =>
      server.call('POST', `/cloud/v1/ssh_keys/${as ? 2 : 1}`, { body: { name }, ...(as ? { as } : {}) });
    await makeKey('theirs', 'other client');
    expect((await makeKey('ours')).status).toBe(201);
    await waitUntil(() => requested.changes.length > 0, { what: 'the change' });
    expect(requested.changes).toEqual([
      { action: 'create_ssh_key', project_id: 1, region_id: null, noun: null, id: null },
    ]);
    const task = await server.ended(await deleteSomething());
    await waitUntil(() => plain.events.some((event) => event.task.id === task.id), { what: 'the event' });
    expect(plain.changes).toEqual([]);
    await Promise.all([requested.stop(), plain.stop()]);
  });

  test('an id that no stream has given is 400', async () => {
    const reply = await server.call('GET', '/cloud/v1/tasks/stream', { headers: { 'last-event-id': 'x' } });
    expect(reply.status).toBe(400);
  });
});

describe('the list of tasks', () => {
  test('filters by state, type, project and acknowledgement', async () => {
    const task = await server.ended(await deleteSomething());
    const url = `/cloud/v1/tasks?task_type=delete_project&state=FINISHED&state=ERROR&is_acknowledged=false`;
    const found = await server.call('GET', url);
    expect(found.body.results.map((each: { id: string }) => each.id)).toContain(task.id);
    const acknowledged = await server.call('POST', `/cloud/v1/tasks/${task.id}/acknowledge`);
    expect(acknowledged.body).toMatchObject({
      id: task.id,
      acknowledged_by: 1,
      acknowledged_at: expect.any(String),
    });
    const after = await server.call('GET', url);
    expect(after.body.results.map((each: { id: string }) => each.id)).not.toContain(task.id);
    expect((await server.call('POST', '/cloud/v1/tasks/acknowledge_all')).status).toBe(204);
    expect((await server.call('GET', url)).body.count).toBe(0);
    const elsewhere = await server.call('GET', `${url}&region_id=77`);
    expect(elsewhere.body).toEqual({ count: 0, results: [] });
  });

  test("another client's task is not found", async () => {
    const task = await server.ended(await deleteSomething());
    expect((await server.call('GET', `/cloud/v1/tasks/${task.id}`, { as: 'other client' })).status).toBe(404);
    const reply = await server.call('POST', `/cloud/v1/tasks/${task.id}/acknowledge`, { as: 'other client' });
    expect(reply.status).toBe(404);
  });
});
