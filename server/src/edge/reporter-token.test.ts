import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { startTestServer, type TestServer } from '../../../test/harness/server.ts';
import { waitUntil } from '../../../test/harness/wait.ts';
import { randomIds } from '../kernel/ids.ts';
import { sql } from '../platform/database/sql.ts';
import { readConfig } from '../startup/config.ts';
import { EdgeBeside } from './edge-beside.ts';
import { keepReporterToken } from './reporter-token.ts';

let server: TestServer;
const dataDir = newFolder('server');
const REPORTS = '/virga/v1/clients/1/storages/video/usage_reports';

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const keep = () => keepReporterToken({ db: server.db, clock: server.clock, ids: randomIds(), dataDir });

test('is made once, for its owner alone, and again when it was revoked', async () => {
  const token = await keep();
  expect(await keep()).toBe(token);
  const file = path.join(dataDir, 'edge-token');
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await server.db.run(sql`update api_tokens set deleted_at = now() where role = 'reporter'`);
  expect(await keep()).not.toBe(token);
});

test('reports usage, and is refused everything else', async () => {
  const token = await keep();
  const body = {
    id: crypto.randomUUID(),
    to: server.clock.now().toISOString(),
    videos: [{ video: '1_film', requests: 1, bytes: 8 }],
  };
  expect((await server.call('POST', REPORTS, { token, body })).status).toBe(200);
  const another = REPORTS.replace('clients/1', 'clients/2');
  expect((await server.call('POST', another, { token, body })).status).toBe(404);
  for (const { spec } of server.app.routes) {
    if (typeof spec.access === 'object' || spec.access === 'report') continue;
    const reply = await server.call(spec.method, spec.path.replaceAll(/\{[^}]+\}/g, '1'), { token });
    expect([403, 400, 404], `${spec.method} ${spec.path}`).toContain(reply.status);
    if (reply.status !== 403) expect(reply.body).not.toHaveProperty('results');
  }
});

test("is in nobody's list of tokens", async () => {
  await keep();
  const { body } = await server.call('GET', '/iam/clients/1/tokens', { as: 'Administrators' });
  expect(JSON.stringify(body)).not.toContain('Edge');
});

test('cannot end a server that is ready: it is kept as soon as the database lets it', async () => {
  rmSync(path.join(dataDir, 'edge-token'));
  const broken = (text: string) =>
    server.db.pool.query(`create or replace function break_tokens() returns trigger language plpgsql
      as $$ begin ${text} end $$`);
  await broken(`raise 'the connection was lost';`);
  await server.db.pool.query(
    'create trigger break_tokens before insert on api_tokens for each row execute function break_tokens()',
  );
  const { db, clock } = server;
  const edge = new EdgeBeside({
    db,
    clock,
    dataDir,
    ids: randomIds(),
    log: pino({ level: 'silent' }),
    config: readConfig({ VIRGA_EDGE: 'off' }),
    url: 'http://127.0.0.1:1',
    secrets: [],
    againMs: 10,
  });
  await edge.start();
  expect(existsSync(path.join(dataDir, 'edge-token'))).toBe(false);
  await broken('return new;');
  await waitUntil(() => existsSync(path.join(dataDir, 'edge-token')), { what: 'the token' });
  await edge.stop();
});
