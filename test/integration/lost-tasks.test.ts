import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate, payloadOf } from '../../server/src/features/secrets/testing/certificates.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { TaskEngine } from '../../server/src/platform/tasks/engine.ts';
import { type Reply, startTestServer, type TestServer } from '../harness/server.ts';

/** Whatever was being created when its task was lost can be read and deleted, and costs no quota then. */

const BASE = '/cloud/v1';
const SCOPE = '/1/2';

let server: TestServer;
let engine: TaskEngine;
const logged: Readonly<Record<string, unknown>>[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line) => void logged.push(JSON.parse(line)) });
  server = await startTestServer({ worker: false, log });
  const { db, clock, app } = server;
  engine = new TaskEngine({ db, clock, log: pino({ level: 'silent' }), handlers: app.handlers });
});

afterAll(() => server.close());

/** Brings the task of a reply to its end. @returns what it created */
async function finished(reply: Reply): Promise<Readonly<Record<string, readonly string[]>>> {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const [id] = reply.body.tasks;
  for (;;) {
    await engine.runTask(id);
    const { body } = await server.call('GET', `${BASE}/tasks/${id}`);
    if (body.state === 'ERROR') throw new Error(`${body.task_type}: ${body.error}`);
    if (body.state === 'FINISHED') return body.created_resources ?? {};
  }
}

/** Loses the task that a call started. @returns what it was about */
async function lost(reply: Reply): Promise<string> {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const [row] = await server.db.rows<{ subject_id: string }>(
    sql`delete from tasks where id = ${reply.body.tasks[0]} returning subject_id`,
  );
  await server.app.watchdog.run();
  return row?.subject_id ?? '';
}

async function usage(): Promise<Readonly<Record<string, number>>> {
  const rows = await server.db.rows<{ name: string; usage: string }>(
    sql`select name, usage from quota_counters where usage > 0 order by name`,
  );
  return Object.fromEntries(rows.map(({ name, usage: used }) => [name, Number(used)]));
}

const network = async () =>
  String(
    (await finished(await server.call('POST', `${BASE}/networks${SCOPE}`, { body: { name: 'net' } })))
      .networks?.[0],
  );

interface Case {
  readonly path: string;
  /** Of what it needs to exist before. */
  body(): Promise<object> | object;
}

const CASES: Readonly<Record<string, Case>> = {
  'load balancer': {
    path: `${BASE}/loadbalancers${SCOPE}`,
    body: () => ({
      name: 'web',
      listeners: [
        {
          name: 'http',
          protocol: 'HTTP',
          protocol_port: 80,
          pools: [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members: [] }],
        },
      ],
    }),
  },
  'floating IP': { path: `${BASE}/floatingips${SCOPE}`, body: () => ({}) },
  network: { path: `${BASE}/networks${SCOPE}`, body: () => ({ name: 'net', create_router: false }) },
  subnet: {
    path: `${BASE}/subnets${SCOPE}`,
    body: async () => ({ name: 'sub', cidr: '10.7.0.0/24', network_id: await network() }),
  },
  'reserved fixed IP': {
    path: `${BASE}/reserved_fixed_ips${SCOPE}`,
    body: async () => {
      const body = { name: 'sub', cidr: '10.8.0.0/24', network_id: await network() };
      const subnet = (await finished(await server.call('POST', `${BASE}/subnets${SCOPE}`, { body })))
        .subnets?.[0];
      return { type: 'subnet', subnet_id: subnet };
    },
  },
  secret: {
    path: `/cloud/v2/secrets${SCOPE}`,
    body: async () => ({ name: 'site', payload: payloadOf(await makeCertificate(['site.test'])) }),
  },
};

test.each(Object.entries(CASES))('a %s', async (_name, { path, body }) => {
  const content = await body();
  const before = await usage();
  const id = await lost(await server.call('POST', path, { body: content }));
  const at = `${path.replace('/v2/secrets', '/v1/secrets')}/${id}`;
  const found = await server.call('GET', at);
  expect(found.status, JSON.stringify(found.body)).toBe(200);
  expect(found.body.task_id ?? null).toBeNull();
  expect(JSON.stringify(found.body)).not.toContain('PENDING_');
  await finished(await server.call('DELETE', at));
  expect((await server.call('GET', at)).status).toBe(404);
  expect(await usage()).toEqual(before);
});

test('one that is given up is counted as failed, and its log names the request', async () => {
  const failures = async () => {
    const { payload } = await server.api.inject({ method: 'GET', url: '/metrics' });
    const line = /^virga_tasks_ended_total\{type="create_network",state="ERROR"\} (\d+)$/m.exec(payload);
    return Number(line?.[1] ?? 0);
  };
  const before = await failures();
  const reply = await server.call('POST', `${BASE}/networks${SCOPE}`, { body: { name: 'net' } });
  const [task] = reply.body.tasks;
  await server.db.run(
    sql`update tasks set failure = 'no room', retries = 99, created_at = created_at - interval '1 day' where id = ${task}`,
  );
  await server.app.watchdog.run();
  expect(await failures()).toBe(before + 1);
  const { body } = await server.call('GET', `${BASE}/tasks/${task}`);
  expect(body).toMatchObject({ state: 'ERROR', error: 'no room' });
  const line = { task, type: 'create_network', requestId: reply.headers['x-request-id'] };
  expect(logged).toContainEqual(expect.objectContaining(line));
});

test('every table whose rows tasks hold is looked after', async () => {
  const tables = await server.db.rows<{
    table: string;
  }>(sql`select table_name as table from information_schema.columns
      where table_schema = 'public' and column_name = 'task_id'`);
  expect(tables.length).toBeGreaterThan(10);
  const held = server.app.features.flatMap((feature) => feature.held ?? []);
  const known = new Set(tables.map(({ table }) => table));
  const named = held.map(({ table }) => table);
  expect(named.filter((table) => !known.has(table))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});
