import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Leftover } from '../../kernel/leftover.ts';
import { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { noteLeftover } from './leftover-store.ts';
import { Leftovers } from './leftovers.ts';
import { dataPlane } from './testing/data-plane.ts';

const TASK = '00000000-0000-4000-8000-000000000001';
const OTHER_TASK = '00000000-0000-4000-8000-000000000002';
const cluster = (id: string): Leftover => ({ kind: 'postgresql_cluster', id, creator: null });
const storage = (id: string, creator: string): Leftover => ({ kind: 'object_storage', id, creator });

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 4 });
  for (const id of [1, 2]) {
    await db.run(sql`insert into regions (id, display_name, slug, state, provider, settings, created_at)
       values (${id}, ${`Local ${id}`}, ${`local-${id}`}, 'ACTIVE', 'local', '{}', now())`);
    await db.run(
      sql`insert into region_owners (region_id, node, data_dir, epoch) values (${id}, 'there', '/data', 7)`,
    );
  }
  await noteLeftover(db, 1, cluster('deleted'));
  await noteLeftover(db, 2, cluster('elsewhere'));
  await noteLeftover(db, 1, storage('3', TASK));
  await noteLeftover(db, 1, storage('4', TASK));
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

/** One look of a node at the first region.
 *  @returns what it was to remove, and the epoch of another machine; undefined: it did nothing */
async function look(node: string, isOwn: boolean) {
  let cleared: readonly [readonly Leftover[], number | null] | undefined;
  const data = dataPlane({
    kept: () => [
      cluster('deleted'),
      cluster('elsewhere'),
      cluster('unknown'),
      storage('3', TASK),
      storage('4', OTHER_TASK),
      storage('4', 'no task'),
      { ...storage('3', TASK), kind: 'sftp_storage' as const },
    ],
    clear: async (deleted, elsewhere) => {
      cleared = [deleted, elsewhere];
      return deleted;
    },
  });
  await new Leftovers({
    db,
    log: pino({ level: 'silent' }),
    clock: systemClock(),
    node: { name: node },
    owned: [{ id: 1, name: 'Local 1', data }],
    owners: { serves: () => isOwn },
  }).look();
  return cleared;
}

test('only what this database has deleted is removed, and a number that another one gave is another storage', async () => {
  const [deleted, elsewhere] = (await look('here', false)) ?? [];
  expect(deleted).toHaveLength(2);
  expect(deleted).toEqual(expect.arrayContaining([cluster('deleted'), storage('3', TASK)]));
  expect(elsewhere).toBe(7);
  expect((await look('there', true))?.[1]).toBeNull();
});

test('where another process of the same machine serves the region, that one removes it', async () => {
  expect(await look('there', false)).toBeUndefined();
});

test('a region without machines leaves nothing', async () => {
  await db.run(sql`delete from region_owners where region_id = 2`);
  await noteLeftover(db, 2, cluster('simulated'));
  const left = await db.number(sql`select count(*)::int as count from region_leftovers where region_id = 2`);
  expect(left).toBe(1);
});
