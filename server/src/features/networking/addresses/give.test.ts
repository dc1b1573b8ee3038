import { expect, test } from 'vitest';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { lockAddresses } from './give.ts';

const server = shared(() => startTestServer({ worker: false }));

const REGION = 2;
const [ONE, OTHER] = ['6ba7b810-9dad-41d1-80b4-00c04fd430c8', '6ba7b811-9dad-41d1-80b4-00c04fd430c8'];

/** How many wait for such a lock. */
async function waiting(): Promise<number> {
  const { rows } = await server.db.pool.query(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0].n;
}

/** Locks spaces in a transaction that ends when it is told. */
function locking(...spaces: string[]) {
  let end = () => {};
  const told = new Promise<void>((resolve) => {
    end = resolve;
  });
  let locked = () => {};
  const has = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const ended = server.db.transaction(async (tx) => {
    await lockAddresses(tx, REGION, spaces);
    locked();
    await told;
  });
  return { has, end, ended };
}

test('addresses of one network are given by one at a time, and nobody waits for another network', async () => {
  const first = locking(ONE);
  await first.has;
  const other = locking(OTHER);
  await other.has;
  const second = locking(ONE);
  let isIn = false;
  void second.has.then(() => {
    isIn = true;
  });
  await waitUntil(async () => (await waiting()) === 1, { what: 'the second giver to wait' });
  expect(isIn).toBe(false);
  first.end();
  await second.has;
  for (const each of [other, second]) each.end();
  await Promise.all([first, other, second].map(({ ended }) => ended));
});

test('who needs several networks waits for no circle, whatever order they are named in', async () => {
  const turns = Array.from({ length: 40 }, async (_, turn) => {
    const { has, end, ended } = locking(...(turn % 2 ? [ONE, OTHER, ONE] : [OTHER, ONE]));
    await has;
    end();
    await ended;
  });
  await expect(Promise.all(turns)).resolves.toHaveLength(40);
});
