import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { randomIds } from '../../kernel/ids.ts';
import { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { OwnedDataPlane } from './owned-region.ts';
import { RegionOwners } from './region-owners.ts';
import { dataPlane } from './testing/data-plane.ts';

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 4 });
  await db.run(sql`insert into regions (id, display_name, slug, state, provider, settings, created_at)
     values (1, 'Local', 'local', 'ACTIVE', 'local', '{}', now())`);
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

/** Those of a machine, by a clock of the test. */
const ownersOn = (name: string, from: Db, steady: () => number, plane: Partial<OwnedDataPlane> = {}) =>
  new RegionOwners({
    db: from,
    log: pino({ level: 'silent' }),
    ids: randomIds(),
    node: { name, dataDir: `/data/${name}`, alone: false },
    owned: [{ id: 1, name: 'Local', data: dataPlane(plane) }],
    everybodys: [],
    steady,
  });

test('a lease that was lost is released, also when the database fails at that moment', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const released: string[] = [];
  const data = dataPlane({ release: async (programs) => void released.push(programs) });
  let failing = '';
  const rows: Db['rows'] = (statement, ...rest) =>
    failing !== '' && statement.text.includes(failing)
      ? Promise.reject(new Error('the database is away'))
      : db.rows(statement, ...rest);
  const owners = new RegionOwners({
    db: Object.create(db, { rows: { value: rows } }),
    log,
    ids: randomIds(),
    node: { name: 'here', dataDir: '/data', alone: false },
    owned: [{ id: 1, name: 'Local', data }],
    everybodys: [],
  });
  await owners.begin();
  await owners.claimFree();
  expect(owners.owned()).toEqual([1]);
  await db.run(
    sql`update region_owners set epoch = epoch + 1, holder = gen_random_uuid() where region_id = 1`,
  );
  failing = 'from region_owners o join';
  await expect(owners.renew()).rejects.toThrow('away');
  expect(released).toEqual([]);
  failing = '';
  await owners.renew();
  expect(released).toEqual(['leave']);
  expect(owners.owned()).toEqual([]);
  expect(lines).toEqual(['region Local has another owner now']);
});

test('after the database was away, another machine gives the one that serves a region time to say so', async () => {
  await db.run(sql`update regions set settings = '{"nodes": ["one", "two"]}' where id = 1`);
  let [now, away] = [0, false];
  const rows: Db['rows'] = (statement, ...rest) =>
    away ? Promise.reject(new Error('the database is away')) : db.rows(statement, ...rest);
  const from = Object.create(db, { rows: { value: rows } });
  const [one, two] = [ownersOn('one', from, () => now), ownersOn('two', from, () => now)];
  await one.begin();
  await one.claimFree();
  const look = async () => {
    now += 1500;
    await two.claimFree();
  };
  const silence = () => db.run(sql`update region_owners set renewed_at = now() - interval '1 minute'`);
  await look();
  away = true;
  await expect(look()).rejects.toThrow('away');
  away = false;
  await silence();
  await look();
  expect(two.owned()).toEqual([]);
  await one.renew();
  for (let looks = 0; looks < 4; looks++) await look();
  // A busy machine is late.
  await silence();
  await look();
  expect(two.owned()).toEqual([]);
  await one.renew();
  for (let looks = 0; looks < 4; looks++) await look();
  expect(two.owned()).toEqual([]);
  // It is gone, and the database is not.
  await silence();
  await look();
  expect(two.owned()).toEqual([1]);
});

test('a region stays on its machine while another process of that is there', async () => {
  await db.run(sql`update regions set settings = '{"nodes": ["one", "two"]}' where id = 1`);
  let now = 0;
  const [killed, other] = [ownersOn('one', db, () => now), ownersOn('two', db, () => now)];
  await killed.begin();
  await killed.claimFree();
  for (let looks = 0; looks < 8; looks++, now += 1500) await other.claimFree();
  await db.run(sql`update region_owners set renewed_at = now() - interval '1 minute', awaited_by = gen_random_uuid(),
     awaited_node = 'one', awaited_at = now() + interval '1 hour'`);
  await other.claimFree();
  expect(other.owned()).toEqual([]);
  await db.run(sql`update region_owners set awaited_at = now() - interval '1 minute'`);
  await other.claimFree();
  expect(other.owned()).toEqual([1]);
});

test('a machine that answers for the addresses of its region is busy, and gets its time', async () => {
  await db.run(sql`update regions set settings = '{"nodes": ["one", "two"]}' where id = 1`);
  let now = 0;
  const asked = new Set<string>();
  const isElsewhere = async (addresses: readonly string[] = []) => {
    for (const address of addresses) asked.add(address);
    return true;
  };
  const [one, two] = [
    ownersOn('one', db, () => now, { addresses: () => ['192.0.2.7'] }),
    ownersOn('two', db, () => now, { isElsewhere }),
  ];
  await one.begin();
  await one.claimFree();
  await one.renew();
  const silentFor = (seconds: number) =>
    db.run(sql`update region_owners set renewed_at = now() - ${seconds}::int * interval '1 second'`);
  const look = async () => {
    now += 1500;
    await two.claimFree();
  };
  for (let looks = 0; looks < 12; looks++) await look();
  await silentFor(9);
  await look();
  expect([two.owned(), [...asked]]).toEqual([[], ['192.0.2.7']]);
  // Its worker does not come back.
  await silentFor(20);
  await look();
  expect(two.owned()).toEqual([1]);
  // Nobody answers: that machine is gone, and need not be waited for.
  let isThere = true;
  const [again, deaf] = [
    ownersOn('one', db, () => now, { isElsewhere: async () => isThere }),
    ownersOn('one', db, () => now, { isElsewhere: async () => false }),
  ];
  await db.run(sql`update region_owners set addresses = '{192.0.2.7}'`);
  for (const seconds of [0, 2]) {
    await silentFor(seconds);
    await again.claimFree();
    await deaf.claimFree();
    isThere = false;
  }
  expect([again.owned(), deaf.owned()]).toEqual([[], []]);
  await silentFor(4);
  // On a network where it was never seen to answer, that it does not says nothing.
  await deaf.claimFree();
  expect(deaf.owned()).toEqual([]);
  await again.claimFree();
  expect(again.owned()).toEqual([1]);
});

test('a region with data stays on a machine that answers for its addresses, and moves when that is gone', async () => {
  await db.run(sql`update regions set settings = '{"nodes": ["one", "two"]}' where id = 1`);
  let [now, isThere] = [0, true];
  const isElsewhere = async (addresses: readonly string[] = []) => isThere && addresses.includes('192.0.2.7');
  const one = ownersOn('one', db, () => now, { hasData: () => true, addresses: () => ['192.0.2.7'] });
  const two = ownersOn('two', db, () => now, { isElsewhere });
  await one.begin();
  await one.claimFree();
  await one.renew();
  await db.run(sql`update region_owners set renewed_at = now() - interval '1 hour'`);
  for (let looks = 0; looks < 12; looks++, now += 1500) await two.claimFree();
  expect(two.owned()).toEqual([]);
  isThere = false;
  await two.claimFree();
  expect(two.owned()).toEqual([1]);
  // What the other machine has is not said of this one.
  const rows = await db.rows<{ has_data: boolean }>(sql`select has_data from region_owners`);
  expect(rows).toEqual([{ has_data: false }]);
});

test('a machine whose folders cannot be read keeps its lease, and counts as having data', async () => {
  const hasData = () => {
    throw new Error('EIO: i/o error');
  };
  const one = ownersOn('one', db, () => 0, { hasData });
  await one.begin();
  await one.claimFree();
  await db.run(sql`update region_owners set renewed_at = now() - interval '1 hour'`);
  await one.renew();
  const rows = await db.rows<{ has_data: boolean; heard: boolean }>(
    sql`select has_data, renewed_at > now() - interval '1 minute' as heard from region_owners`,
  );
  expect(rows).toEqual([{ has_data: true, heard: true }]);
});

test('while the programs of a region that was lost are ended, those of others keep their owner', async () => {
  await db.run(sql`insert into regions (id, display_name, slug, state, provider, settings, created_at)
     values (3, 'Other', 'other', 'ACTIVE', 'local', '{}', now())`);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const owners = new RegionOwners({
    db,
    log: pino({ level: 'silent' }),
    ids: randomIds(),
    node: { name: 'one', dataDir: '/data/one', alone: false },
    owned: [
      { id: 1, name: 'Local', data: dataPlane({ release: () => ended }) },
      { id: 3, name: 'Other', data: dataPlane() },
    ],
    everybodys: [],
  });
  await owners.begin();
  await owners.claimFree();
  await db.run(
    sql`update region_owners set epoch = epoch + 1, holder = gen_random_uuid(), node = 'two' where region_id = 1`,
  );
  await owners.renew();
  await db.run(sql`update region_owners set holder = null where region_id = 1`);
  await db.run(sql`update region_owners set renewed_at = now() - interval '1 minute' where region_id = 3`);
  await owners.renew();
  await owners.claimFree();
  expect(owners.owned()).toEqual([3]);
  const silent = await db.number(
    sql`select extract(epoch from now() - renewed_at)::float8 as silent from region_owners where region_id = 3`,
  );
  expect(silent).toBeLessThan(60);
  await db.run(sql`update regions set settings = '{"nodes": ["one", "two"]}' where id = 1`);
  await owners.claimFree();
  expect(owners.owned()).toEqual([3]);
  end();
  await waitUntil(
    async () => {
      await owners.claimFree();
      return owners.owned().length === 2;
    },
    { what: 'the region to be had again once its programs are ended' },
  );
});

test('without the database a region goes on, but not beside another machine that has its addresses', async () => {
  let [now, away, isElsewhere] = [0, false, false];
  const released: string[] = [];
  const data = dataPlane({
    isElsewhere: async () => isElsewhere,
    release: async (programs) => void released.push(programs),
  });
  const rows: Db['rows'] = (statement, ...rest) =>
    away ? Promise.reject(new Error('the database is away')) : db.rows(statement, ...rest);
  const owners = new RegionOwners({
    db: Object.create(db, { rows: { value: rows } }),
    log: pino({ level: 'silent' }),
    ids: randomIds(),
    node: { name: 'here', dataDir: '/data', alone: false },
    owned: [{ id: 1, name: 'Local', data }],
    everybodys: [],
    steady: () => now,
  });
  await owners.begin();
  await owners.claimFree();
  away = true;
  const beat = async () => {
    now += 3000;
    await expect(owners.renew()).rejects.toThrow('away');
  };
  await beat();
  await beat();
  expect([owners.owned(), released]).toEqual([[1], []]);
  isElsewhere = true;
  await beat();
  expect([owners.owned(), released]).toEqual([[], ['stop']]);
});
