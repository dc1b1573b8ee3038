import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDataDir, removeDataDir } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { type Cluster, separateProcesses } from './cluster.ts';
import { databaseFaults } from './database-faults.ts';
import { numbers } from './random.ts';

/** PostgreSQL is killed again and again under load: every task that was accepted ends, and none hangs. */

const seeds = Number(process.env.VIRGA_TEST_DATABASE_KILL_SEEDS ?? 2);
const KILLS = 10;
const WITHIN_MS = 5000;
const CLIENTS = 16;
const LBS = '/cloud/v1/loadbalancers/1/2';

let cluster: Cluster;
let dataDir: string;

beforeAll(async () => {
  dataDir = newDataDir();
  cluster = await separateProcesses(dataDir, { VIRGA_TIME_SCALE: '0.01', VIRGA_RATE_LIMIT: '0' });
});

afterAll(async () => {
  await cluster?.stop();
  removeDataDir(dataDir);
});

test.each(Array.from({ length: seeds }, (_, index) => index + 1))(
  'ten kills of PostgreSQL within five seconds leave no task that hangs (seed %i)',
  async (seed) => {
    const random = numbers(seed);
    const storm = { over: false };
    const load = Array.from({ length: CLIENTS }, (_, number) => live(storm, number));
    const moments = Array.from({ length: KILLS }, () => random() * WITHIN_MS).sort((a, b) => a - b);
    const begin = performance.now();
    for (const moment of moments) {
      await delay(Math.max(0, moment - (performance.now() - begin)));
      await cluster.kill('PostgreSQL', random);
    }
    storm.over = true;
    await Promise.all(load);
    await waitUntil(async () => (await unended()).length === 0, {
      what: 'all tasks to end',
      intervalMs: 100,
    }).catch(async (error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await unended())}`);
    });
    expect(await cluster.query(`select type, error from tasks where state = 'ERROR'`)).toEqual([]);
    expect(await databaseFaults(cluster.query)).toEqual([]);
    await deleteAll();
  },
);

const unended = () =>
  cluster
    .query(
      `select id, type, state, step, attempt, retries, now() as now, run_at, lease_until, updated_at from tasks
        where finished_at is null`,
    )
    .catch((error: Error) => [{ error: error.message }]);

async function deleteAll(): Promise<void> {
  const api = await cluster.api();
  for (const { id } of (await api.call('GET', LBS)).body.results) {
    expect(await api.ended(await api.call('DELETE', `${LBS}/${id}`))).toMatchObject({ state: 'FINISHED' });
  }
}

/** Creates load balancers and deletes them, until the storm is over. What is not answered may have been done. */
async function live(storm: { readonly over: boolean }, number: number): Promise<void> {
  for (let round = 0; !storm.over; round++) {
    try {
      const api = await cluster.api();
      const { body } = await api.call('POST', LBS, { name: `lb ${number} ${round}` });
      const [task] = body.tasks ?? [];
      if (task === undefined) await delay(20);
      while (task !== undefined && !storm.over) {
        const seen = (await api.call('GET', `/cloud/v1/tasks/${task}`)).body;
        if (seen.state === 'FINISHED')
          await api.call('DELETE', `${LBS}/${seen.created_resources.loadbalancers[0]}`);
        if (seen.state === 'FINISHED' || seen.state === 'ERROR') break;
        await delay(20);
      }
    } catch {
      // The API itself stays; a connection may be lost while it is busy.
      await delay(20);
    }
  }
}
