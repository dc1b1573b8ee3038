import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** Two workers on one database: one dies or freezes in the middle of a task, the other finishes it in time. */

let database: TestDatabase;
let api: VirgaProcess;
const folders: string[] = [];
/** Nodes on one database share it. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

beforeAll(async () => {
  database = await createTestDatabase();
  api = await start('api');
});

afterAll(async () => {
  await api.end('SIGTERM');
  await database.drop();
  for (const folder of folders) removeDataDir(folder);
});

function start(role: string): Promise<VirgaProcess> {
  const dataDir = newDataDir();
  folders.push(dataDir);
  return startVirga({
    dataDir,
    args: ['--role', role],
    env: {
      DATABASE_URL: database.url,
      VIRGA_MASTER_KEY: MASTER_KEY,
      VIRGA_TIME_SCALE: '0.05',
      VIRGA_RATE_LIMIT: '0',
    },
  });
}

describe.each(['SIGKILL', 'SIGSTOP'] as const)(
  'a worker that gets %s in the middle of its tasks',
  (signal) => {
    test('is replaced, and what it says later changes nothing', async () => {
      const first = await start('worker');
      const reply = await api.call('POST', '/cloud/v1/loadbalancers/1/2', { name: `web ${signal}` });
      const id = reply.body.tasks[0];
      const task = async () => (await api.call('GET', `/cloud/v1/tasks/${id}`)).body;
      await waitUntil(async () => (await task()).state === 'RUNNING', { what: 'the first worker to begin' });
      process.kill(first.pid, signal);
      const second = await start('worker');
      const ended = await waitUntil(async () => (await task()).state === 'FINISHED' && task(), {
        what: 'the second worker to finish',
      });
      const lb = ended.created_resources.loadbalancers[0];
      const before = (await api.call('GET', `/cloud/v1/loadbalancers/1/2/${lb}`)).body;
      if (signal === 'SIGSTOP') process.kill(first.pid, 'SIGCONT');
      const next = await api.ended(
        await api.call('POST', '/cloud/v1/loadbalancers/1/2', { name: `after ${signal}` }),
      );
      expect(next.state).toBe('FINISHED');
      expect(await task()).toEqual(ended);
      expect((await api.call('GET', `/cloud/v1/loadbalancers/1/2/${lb}`)).body).toEqual(before);
      if (signal === 'SIGSTOP') await first.end('SIGTERM');
      await second.end('SIGTERM');
    });
  },
);
