import { expect, test } from 'vitest';
import { startTestDb } from '../../../../test/harness/db.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { QuotaExceeded } from '../../kernel/errors.ts';
import { readQuotas, reserve, setLimits } from './store.ts';

/** Quotas with ample room are counted as exactly as others, and hold nobody up. */

const db = shared(() =>
  startTestDb(
    `insert into clients (name, email) select 'c' || i, i || '@example.test' from generate_series(1, 3) i`,
  ),
);

const AMOUNTS = { volume_count: 1, volume_size: 2 };
const scopeOf = (clientId: number) => ({ clientId, regionId: 2 });
const limit = (clientId: number, count: number, size: number) =>
  db.transaction((tx) => setLimits(tx, scopeOf(clientId), { volume_count: count, volume_size: size }));
const create = (clientId: number) => db.transaction((tx) => reserve(tx, scopeOf(clientId), AMOUNTS));
const usages = async (clientId: number) => {
  const { volume_count, volume_size } = await readQuotas(db, scopeOf(clientId), [
    'volume_count',
    'volume_size',
  ]);
  return [volume_count.usage, volume_size.usage];
};

test('while one creation waits for its commit, others of its client go on', async () => {
  await limit(1, 10_000, 20_000);
  await create(1);
  await db.transaction(async (tx) => {
    await reserve(tx, scopeOf(1), AMOUNTS);
    // It would wait for the row that this one has locked.
    await create(1);
    expect(await usages(1)).toEqual([2, 4]);
  });
  expect(await usages(1)).toEqual([3, 6]);
});

test('however many are made at once, each is counted, and none beyond a limit that was lowered meanwhile', async () => {
  await limit(2, 10_000, 20_000);
  await create(2);
  await Promise.all(Array.from({ length: 99 }, () => create(2)));
  expect(await usages(2)).toEqual([100, 200]);
  await limit(2, 110, 20_000);
  const ends = await Promise.allSettled(Array.from({ length: 30 }, () => create(2)));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused).toHaveLength(20);
  for (const reason of refused) expect(reason).toBeInstanceOf(QuotaExceeded);
  expect(await usages(2)).toEqual([110, 220]);
});

test('a threshold that is reached by many at once is noted once', async () => {
  await limit(3, 1_000, 100_000);
  await create(3);
  for (let round = 0; round < 8; round += 1) await Promise.all(Array.from({ length: 100 }, () => create(3)));
  expect(await usages(3)).toEqual([801, 1602]);
  const { rows } = await db.pool.query('select name, usage from quota_reachings where client_id = 3');
  expect(rows).toEqual([{ name: 'volume_count', usage: 800 }]);
});

test('a counter that nothing was ever reserved of is made, whatever was seen of another database', async () => {
  await create(1);
  await db.pool.query('delete from quota_counters where client_id = 1');
  let attempts = 0;
  await db.transaction(async (tx) => {
    attempts += 1;
    await reserve(tx, scopeOf(1), AMOUNTS);
  });
  expect(await usages(1)).toEqual([1, 2]);
  expect(attempts).toBe(1);
});
