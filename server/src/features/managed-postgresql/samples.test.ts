import { expect, test } from 'vitest';
import { movableClock } from '../../../../test/harness/clock.ts';
import { CLUSTERS, clusterBody } from '../../../../test/harness/managed-postgresql.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { Sampler } from './samples.ts';

/** What was measured of clusters is kept for 30 days, in fewer and fewer samples. */

const clock = movableClock();
const server = shared(() => startTestServer({ clock }));
const MINUTE = 60_000;

const measured = (committed: number, hit: number) => ({
  fault: null,
  databaseSizes: {},
  metrics: {
    connections: { active: 2, idle: 3, max: 100 },
    transactions: { committed, rolled_back: 0, deadlocks: 0 },
    rows: { returned: 0, inserted: 0, updated: 0, deleted: 0 },
    blocks: { read: 10, hit },
    storage: { used_bytes: 1000, size_bytes: 10_000 },
  },
});

test('a point for each sample, rates from the second on, and fewer of what is long ago', async () => {
  const made = await server.call('POST', CLUSTERS, { body: clusterBody('measured') });
  expect((await server.ended(made)).state).toBe('FINISHED');
  await server.app.background.stop();
  const sampler = new Sampler(server.db, clock);
  const sample = async (committed: number, hit: number) => {
    clock.advance(MINUTE);
    const observed = JSON.stringify(measured(committed, hit));
    await server.db.run(sql`update postgresql_clusters set observed = ${observed} where name = 'measured'`);
    await sampler.run();
  };
  await server.db.run(sql`delete from postgresql_samples`);
  const series = async (query = '') =>
    (await server.call('GET', `/virga/v1/postgresql_clusters/1/2/measured/series${query}`)).body;
  await sample(100, 0);
  await sample(220, 90);
  // Started again, it counts from the beginning.
  await sample(5, 5);
  const { count, results } = await series('?hours=1');
  expect(count).toBe(3);
  expect(results[0]).toMatchObject({
    connections: 5,
    max_connections: 100,
    used_bytes: 1000,
    size_bytes: 10_000,
  });
  const rates = results.map((point: Record<string, unknown>) => point.transactions_per_second);
  expect(rates).toEqual([null, expect.closeTo(2, 0), null]);
  expect(results[1].hit_percent).toBe(100);
  for (let i = 0; i < 30; i += 1) await sample(10 + i, 10);
  expect((await series()).count).toBe(33);
  clock.advance(25 * 60 * MINUTE);
  await sampler.run();
  const kept = (await series('?hours=720')).count;
  expect(kept).toBeGreaterThanOrEqual(3);
  expect(kept).toBeLessThanOrEqual(5);
  clock.advance(31 * 24 * 60 * MINUTE);
  await sampler.run();
  expect((await series('?hours=720')).count).toBe(1);
  const elsewhere = '/virga/v1/postgresql_clusters/1/2/measured/series';
  expect((await server.call('GET', elsewhere, { as: 'other client' })).status).toBe(404);
});
