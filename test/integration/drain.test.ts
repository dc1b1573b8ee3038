import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { newDataDir, removeDataDir, startVirga } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** A proxy sends requests until its checks have failed: a node that closed its port at once would lose those. */

let database: TestDatabase;
const dataDir = newDataDir();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  removeDataDir(dataDir);
});

test('a node that is stopped says that it is not ready, and goes on answering; a second signal ends that', async () => {
  const env = { DATABASE_URL: database.url, VIRGA_DRAIN_SECONDS: '60' };
  const virga = await startVirga({ dataDir, env, args: ['--role', 'api'] });
  const ready = () => virga.call('GET', '/readyz', undefined, { connection: 'close' });
  expect((await ready()).status).toBe(200);
  process.kill(virga.pid, 'SIGTERM');
  await waitUntil(async () => (await ready()).status === 503, { what: 'it to say that it stops' });
  for (let count = 0; count < 10; count += 1) {
    const answer = await virga.call('GET', '/cloud/v1/projects', undefined, { connection: 'close' });
    expect(answer.status).toBe(200);
  }
  expect(await virga.end('SIGTERM')).toBe(0);
});
