import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../../../scripts/lib/system-packages.mjs';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { VERSION } from '../../version.ts';
import { sql } from '../database/sql.ts';
import { sayAlive, sayGone } from '../nodes/store.ts';

const MONITORING = path.join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'monitoring');
const WORKER = '00000000-0000-4000-8000-000000000001';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});

const ready = async () => (await server.call('GET', '/readyz')).body;

afterAll(() => server.close());

const scrape = (headers: Record<string, string>) =>
  server.api.inject({ method: 'GET', url: '/metrics', headers });

test('everybody sees counts and times, and only operators see resources', async () => {
  const anonymous = await scrape({});
  expect(anonymous.statusCode).toBe(200);
  expect(anonymous.payload).toContain('virga_http_request_duration_seconds');
  expect(anonymous.payload).not.toContain('virga_loadbalancer_');
  const operator = await scrape({ authorization: `APIKey ${server.tokens.operator}` });
  expect(operator.statusCode).toBe(200);
  expect(operator.payload).toContain('# TYPE virga_loadbalancer_bytes_in_total counter');
  expect(operator.payload).toContain('virga_http_request_duration_seconds');
});

test('a token that is no operator’s, or none at all, is refused rather than shown less', async () => {
  expect((await scrape({ authorization: `APIKey ${server.tokens.Administrators}` })).statusCode).toBe(403);
  expect((await scrape({ authorization: 'APIKey unknown' })).statusCode).toBe(401);
});

test('a server is ready though nobody works on tasks, and says so', async () => {
  expect(await ready()).toEqual({
    status: 'ready',
    notes: ['nobody works on tasks: start a node with --role worker'],
  });
  const { db } = server;
  await sayAlive(db, WORKER, { name: 'elsewhere', role: 'worker', version: '9.9.9' });
  expect(await ready()).toEqual({ status: 'ready' });
  await db.run(sql`update nodes set seen_at = now() - interval '6 seconds'`);
  expect((await ready()).notes).toHaveLength(1);
  await sayGone(db, WORKER);
});

test('metrics show the queue, the nodes, what waits to be sent, and the connections', async () => {
  const { db } = server;
  await sayAlive(db, WORKER, { name: 'elsewhere', role: 'worker', version: '9.9.9' });
  const reply = await server.call('POST', '/cloud/v1/loadbalancers/1/2', LOAD_BALANCER);
  expect(reply.status).toBe(200);
  await waitUntil(async () => (await figure('virga_tasks{state="waiting"}')) === 1, {
    what: 'a task to wait',
  });
  expect(await figure('virga_task_oldest_waiting_seconds')).toBeGreaterThan(0);
  expect(await figure('virga_nodes{role="worker",version="9.9.9"}')).toBe(1);
  expect(await figure(`virga_build_info{version="${VERSION}",role="all"}`)).toBe(1);
  for (const name of [
    'virga_database_up 1',
    'virga_tasks{state="running"} 0',
    'virga_tasks{state="scheduled"} 0',
    'virga_mail_waiting 0',
    'virga_webhook_deliveries_waiting 0',
    'virga_database_connections{state="waiting"} 0',
    'nodejs_eventloop_lag_p99_seconds ',
  ]) {
    expect((await scrape({})).payload).toContain(name);
  }
  await sayGone(db, WORKER);
});

test('operators see who works on each region', async () => {
  const { db } = server;
  await db.run(sql`insert into region_owners (region_id, node, holder, renewed_at) values (1, 'machine-1', ${WORKER}, now()),
            (2, 'machine-2', ${WORKER}, now() - interval '1 minute')`);
  expect((await scrape({})).payload).not.toContain('machine-1');
  const { payload } = await scrape({ authorization: `APIKey ${server.tokens.operator}` });
  expect(payload).toContain('virga_region_owner{region="1",node="machine-1"} 1');
  expect(payload).toContain('virga_region_owned{region="2"} 0');
  expect(payload).not.toContain('machine-2');
});

test('without the database metrics say so, also with a token that nobody can check then', async () => {
  const ASKS = ['rows', 'row', 'number', 'any', 'run', 'transaction'];
  const lost = async () => {
    throw new Error('the database is away');
  };
  const db = new Proxy(server.db, {
    get: (own, name) => {
      const value = Reflect.get(own, name, own);
      if (ASKS.includes(String(name))) return lost;
      return typeof value === 'function' ? value.bind(own) : value;
    },
  });
  const probes = await server.newApp({ db }).probes();
  for (const headers of [{}, { authorization: `APIKey ${server.tokens.operator}` }]) {
    const { statusCode, payload } = await probes.inject({ method: 'GET', url: '/metrics', headers });
    expect([statusCode, /^virga_database_up \d/m.exec(payload)?.[0]]).toEqual([200, 'virga_database_up 0']);
    expect(payload).not.toContain('virga_nodes{');
  }
  await probes.close();
});

test('a database in which somebody holds a lock on tasks answers, and nothing is said of tasks', async () => {
  const probes = await server.newApp({}).probes();
  const payload = await server.db.transaction(async (tx) => {
    await tx.run(sql`lock table tasks in access exclusive mode`);
    return (await probes.inject({ method: 'GET', url: '/metrics' })).payload;
  });
  expect(payload).toContain('\nvirga_database_up 1\n');
  expect(payload).not.toContain('virga_tasks{');
  await probes.close();
});

test('a node without an API answers probes and serves metrics, and nothing else', async () => {
  const probes = await server.app.probes();
  const get = async (url: string) => (await probes.inject({ method: 'GET', url })).statusCode;
  expect(await Promise.all(['/healthz', '/readyz', '/metrics', '/cloud/v1/tasks'].map(get))).toEqual([
    200, 200, 200, 404,
  ]);
  await probes.close();
});

test('probes of a node that starts are refused without an error in the log', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const probes = await server.newApp({ isReady: () => false, log }).probes();
  expect((await probes.inject({ method: 'GET', url: '/readyz' })).statusCode).toBe(503);
  expect(lines).toEqual([]);
  await probes.close();
});

describe('docs/monitoring', () => {
  const text = (name: string) => readFileSync(path.join(MONITORING, name), 'utf8');

  test.each(['prometheus-rules.yml', 'grafana-dashboard.json'])(
    '%s asks for metrics that are there',
    async (name) => {
      const { payload } = await scrape({ authorization: `APIKey ${server.tokens.operator}` });
      const known = new Set([...payload.matchAll(/^# TYPE (\S+)/gm)].map(([, metric]) => metric));
      const requested = [...text(name).matchAll(/\b(?:virga|nodejs|process)_\w+/g)].map(([metric]) =>
        metric.replace(/_(?:count|bucket|sum)$/, ''),
      );
      expect(requested.length).toBeGreaterThan(10);
      expect(requested.filter((metric) => !known.has(metric))).toEqual([]);
    },
  );

  test('the dashboard counts what every node reads from the database once', () => {
    const shared =
      /virga_(?:(?:loadbalancer|listener|region_owner)_?\w*|nodes|tasks|task_oldest\w+|\w+_waiting)(?=\{)/g;
    const requested = [...text('grafana-dashboard.json').matchAll(/"expr": "(.+)"/g)].flatMap(
      ([, expr = '']) => [...expr.matchAll(shared)].map(({ index }) => expr.slice(0, index)),
    );
    expect(requested.length).toBeGreaterThan(5);
    expect(requested.filter((before) => !/max(?: by \([^)]+\))? ?\((?:rate\()?$/.test(before))).toEqual([]);
  });

  const promtool = findProgram('promtool');
  test.skipIf(!promtool)(
    `Prometheus accepts the rules and all that a server reports${promtool ? '' : ' (skipped: promtool is not installed)'}`,
    async () => {
      const run = (args: readonly string[], input = '') =>
        spawnSync(promtool ?? '', args, { input, encoding: 'utf8' });
      const rules = run(['check', 'rules', path.join(MONITORING, 'prometheus-rules.yml')]);
      expect(rules.stderr + rules.stdout).toContain('SUCCESS');
      const { payload } = await scrape({ authorization: `APIKey ${server.tokens.operator}` });
      const { stderr } = run(['check', 'metrics'], payload);
      expect(stderr.split('\n').filter((line) => /virga_/.test(line))).toEqual([]);
    },
  );
});

const LOAD_BALANCER = { body: { name: 'waits', flavor: 'lb1-1-2' } };

async function figure(metric: string): Promise<number | undefined> {
  const { payload } = await scrape({});
  const line = payload.split('\n').find((each) => each.startsWith(`${metric} `));
  return line === undefined ? undefined : Number(line.slice(metric.length + 1));
}
