import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { lockDataDir } from '../platform/database/embedded/index.ts';
import { readConfig } from './config.ts';
import { ownPorts } from './own-ports.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'virga-own-ports-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const read = (env: Record<string, string> = {}) => readConfig({ VIRGA_DATA_DIR: dataDir, ...env });

test('the API, the edge and a database of its own are known by their ports', async () => {
  const env = { PORT: '8085', VIRGA_EDGE_PORT: '8095', DATABASE_URL: 'postgres://u:p@127.0.0.1:6543/virga' };
  expect((await ownPorts(read(env)))()).toEqual([
    { host: '127.0.0.1', port: 8085 },
    { host: '127.0.0.1', port: 8095 },
    { host: '127.0.0.1', port: 6543 },
  ]);
  const named = { DATABASE_URL: 'postgres://u:p@localhost/virga', VIRGA_EDGE: 'off', VIRGA_ROLE: 'worker' };
  expect((await ownPorts(read(named)))()).toEqual([
    { host: '127.0.0.1', port: 8081 },
    { host: 'localhost', port: 5432 },
  ]);
  expect(
    (await ownPorts(read({ DATABASE_URL: 'postgres:///virga?host=/run', VIRGA_EDGE: 'off' })))(),
  ).toEqual([{ host: '127.0.0.1', port: 8080 }]);
});

test('a port that the system has chosen is known once the server says where it is', async () => {
  let now = 0;
  const ports = await ownPorts(read({ PORT: '0', VIRGA_EDGE: 'off' }), () => now);
  const lock = lockDataDir(dataDir);
  onTestFinished(() => lock.release());
  lock.announce('http://127.0.0.1:45678');
  now = 5_000;
  expect(ports()).toContainEqual({ host: '127.0.0.1', port: 45_678 });
});
