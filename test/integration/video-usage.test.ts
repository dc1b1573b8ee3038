import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageCounter } from '../../edge/src/usage.ts';
import { UsageReporter } from '../../edge/src/usage-report.ts';
import { reportSettings } from '../../server/src/edge/edge-process.ts';
import { keepReporterToken } from '../../server/src/edge/reporter-token.ts';
import { randomIds } from '../../server/src/kernel/ids.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** What the edge counts arrives at the server beside which it runs. */

let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
  await server.api.listen({ host: '127.0.0.1', port: 0 });
  folder = mkdtempSync(path.join(os.tmpdir(), 'virga-usage-'));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('requests and bytes of each video are counted by the server', async () => {
  const { port } = server.api.addresses()[0] as AddressInfo;
  const { db, clock } = server;
  const kept = await keepReporterToken({ db, clock, ids: randomIds(), dataDir: folder });
  const settings = reportSettings(`http://127.0.0.1:${port}`, kept);
  const { VIRGA_EDGE_REPORT_URL: url = '', VIRGA_EDGE_REPORT_TOKEN: token = '' } = settings;
  const usage = new UsageCounter();
  const said: string[] = [];
  const log = (message: string) => said.push(message);
  const reporter = new UsageReporter({ url, token, usage, now: () => server.clock.now(), log });
  usage.add('1_film', 1_000_000);
  usage.add('1_film', 500);
  await reporter.flush();
  usage.add('1_film', 7);
  await reporter.flush();
  expect(said).toEqual([]);
  const { rows } = await server.db.pool.query(
    'select client_id, storage_name, bucket_name, used_traffic, used_requests from storage_usage_months',
  );
  expect(rows).toHaveLength(1);
  expect(Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, String(value)]))).toEqual({
    client_id: '1',
    storage_name: 'video',
    bucket_name: '1_film',
    used_traffic: '1000507',
    used_requests: '3',
  });
});
