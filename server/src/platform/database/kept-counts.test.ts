import fc from 'fast-check';
import { sql } from 'kysely';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { PORTS_OF_NEW_LOAD_BALANCERS, portsOfGone } from '../../features/networking/ports/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { randomIds } from '../../kernel/ids.ts';
import { completeProjects, setUpRegions } from '../../region-contents.ts';
import { tagConditions } from '../http/tag-filters.ts';
import { Db } from './db.ts';
import { countIfKept, type Facets, foldCounts, keptCount, keptCountOfNetworks } from './kept-counts.ts';

/** Counts that are kept are those that counting gives, whatever is written and whatever is asked for. */

const PLACE = { projectId: 1, regionId: 2 };
let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 6 });
  await db.pool.query(`
    insert into clients (id, name, email) values (1, 'one', 'one@example.test');
    insert into projects (id, client_id, name, created_at) values (1, 1, 'one', now())`);
  const region = {
    id: 2,
    display_name: 'two',
    slug: 'two',
    state: 'ACTIVE',
    provider: 'simulated',
    settings: {},
  };
  await db.transaction((tx) =>
    setUpRegions(tx, [region], { ids: randomIds(), timestamp: systemClock().timestamp() }),
  );
  await completeProjects(db);
});

afterAll(async () => {
  await db?.close();
  await database?.drop();
});

const fold = () => foldCounts(db).run(new AbortController().signal);

const STATUSES = ['ACTIVE', 'ERROR', 'PENDING_UPDATE'];
const TAGS = ['{}', '{"team": {"value": "a"}}', '{"team": {"value": "b"}, "cost": {"value": "1"}}'];

/** Statements as they come from clients, operators and bulk imports. */
const write = fc.oneof(
  fc.record({ insert: fc.integer({ min: 1, max: 20 }), kind: fc.nat(8) }),
  fc.record({ part: fc.nat(6), status: fc.constantFrom(...STATUSES), tags: fc.constantFrom(...TAGS) }),
  fc.record({ logging: fc.nat(6) }),
  fc.record({ drop: fc.nat(6) }),
  fc.constant({ fold: true }),
);

async function apply(step: typeof write extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  // What goes wrong must not be counted.
  const undo = async (text: string, values: unknown[]) => {
    const client = await db.pool.connect();
    try {
      await client.query('begin');
      await client.query(text, values);
      await client.query('rollback');
    } finally {
      client.release();
    }
  };
  const run = async (text: string, values: unknown[]) => {
    await undo(text, values);
    await db.pool.query(text, values);
  };
  const some = 'get_byte(uuid_send(id), 0) % 7';
  if ('insert' in step)
    await run(
      `insert into load_balancers (id, client_id, project_id, region_id, name, provisioning_status, operating_status,
              logging_enabled, tags, created_at)
       select gen_random_uuid(), 1, 1, 2, 'lb', ($2::text[])[1 + ($3::int + i) % 3], 'ONLINE', $3::int % 2 = 0,
              ($4::jsonb[])[1 + ($3::int + i) % 3], now() from generate_series(1, $1::int) i`,
      [step.insert, STATUSES, step.kind, TAGS],
    );
  else if ('part' in step)
    await run(
      `update load_balancers set provisioning_status = $2, tags = $3::jsonb, name = name || '.' where ${some} = $1`,
      [step.part, step.status, step.tags],
    );
  else if ('logging' in step)
    await run(`update load_balancers set logging_enabled = not logging_enabled where ${some} = $1`, [
      step.logging,
    ]);
  else if ('drop' in step) await run(`delete from load_balancers where ${some} = $1`, [step.drop]);
  else await fold();
}

/** Every filter alone, and every pair. */
const FILTERS: readonly Facets[] = [
  {},
  ...STATUSES.map((provisioning_status) => ({ provisioning_status })),
  { logging_enabled: true },
  { logging_enabled: false },
  { logging_enabled: true, provisioning_status: 'ACTIVE' },
  { operating_status: 'ONLINE', assigned_floating: false },
];
const TAG_FILTERS = [
  { tagKeys: ['team'] },
  { tagKeys: ['cost'] },
  { tags: { team: 'a' } },
  { tags: { team: 'c' } },
  { tagKeys: ['team'], tags: { team: 'a' } },
];

async function allAreRight(): Promise<void> {
  const lists = [
    ...FILTERS.map((facets) => ({ facets, tags: {} })),
    ...TAG_FILTERS.map((tags) => ({ facets: {}, tags })),
  ];
  for (const { facets, tags } of lists) {
    const kept = countIfKept({ resource: 'loadbalancers', place: PLACE, facets, tags, more: false });
    const conditions = [
      sql`true`,
      ...Object.entries(facets).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
      ...tagConditions(tags),
    ];
    const plain = sql<{ count: number }>`select count(*) as count from load_balancers
      where ${sql.join(conditions, sql` and `)}`;
    const [found, expected] = await Promise.all([kept?.execute(db.kysely), plain.execute(db.kysely)]);
    expect([facets, tags, found?.rows]).toEqual([facets, tags, expected.rows]);
  }
}

test('whatever is written, each count is right, also of what was rolled back and before it is folded in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const step of steps) await apply(step);
      await allAreRight();
    }),
    { numRuns: 25, seed: 1 },
  );
});

test('counted anew, everything is as it was', async () => {
  await apply({ insert: 20, kind: 1 });
  await allAreRight();
  const totals = 'select * from resource_totals order by project_id, region_id, resource, facets';
  await fold();
  const before = (await db.pool.query(totals)).rows;
  expect(before.length).toBeGreaterThan(5);
  await db.pool.query('select recount_resources()');
  expect((await db.pool.query(totals)).rows).toEqual(before);
});

test('ports are counted by their networks, however many come and go in one statement', async () => {
  await db.pool.query(`with lb as (select * from load_balancers), ${PORTS_OF_NEW_LOAD_BALANCERS} select`);
  const count = async (of: ReturnType<typeof keptCount>) => (await of.execute(db.kysely)).rows[0]?.count;
  const { rows } = await db.pool.query('select network_id, device_type from ports group by 1, 2');
  expect(rows).toEqual([{ network_id: expect.any(String), device_type: 'load_balancer' }]);
  const { rows: balancers } = await db.pool.query('select count(*) as count from load_balancers');
  const networks = [rows[0].network_id];
  expect(balancers[0].count).toBeGreaterThan(0);
  expect(await count(keptCount('ports', PLACE))).toBe(balancers[0].count);
  expect(await count(keptCount('ports', PLACE, { managed_by: 'user' }))).toBe(0);
  expect(await count(keptCountOfNetworks('ports', PLACE, networks, { managed_by: 'system' }))).toBe(
    balancers[0].count,
  );
  for (const folds of [false, true]) {
    await db.pool.query('update ports set device_type = null, device_id = null');
    if (folds) await fold();
    for (const [managed_by, ports] of [
      ['user', balancers[0].count],
      ['system', 0],
    ] as const) {
      expect(await count(keptCount('ports', PLACE, { managed_by }))).toBe(ports);
      expect(await count(keptCountOfNetworks('ports', PLACE, networks, { managed_by }))).toBe(ports);
    }
    await db.pool.query(
      `update ports p set device_type = 'load_balancer', device_id = lb.id from load_balancers lb where lb.vip_port_id = p.id`,
    );
  }
  await db.pool.query(
    `with gone as (delete from load_balancers returning vip_port_id as port_id), ${portsOfGone('updated_at')} select`,
  );
  expect(await count(keptCount('ports', PLACE))).toBe(0);
  expect(await count(keptCountOfNetworks('ports', PLACE, networks))).toBe(0);
  await fold();
  const others = `select * from resource_totals where resource not like '% by client'`;
  expect((await db.pool.query(others)).rows).toEqual([]);
});

test('totals are written where they stand, however often they change', async () => {
  await apply({ insert: 3, kind: 0 });
  await fold();
  await apply({ insert: 3, kind: 0 });
  // Pages with room for all: what only lacks room is no fault of an index.
  await db.pool.query('alter table resource_totals set (fillfactor = 10)');
  await db.pool.query('vacuum full resource_totals');
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    // The session still has the figures of what it did before: only the difference is of this transaction.
    const before = await updatesOfTotals(client);
    await client.query('select fold_resource_counts()');
    const after = await updatesOfTotals(client);
    expect(after.written).toBeGreaterThan(before.written);
    expect(after.inPlace - before.inPlace).toBe(after.written - before.written);
    await client.query('rollback');
  } finally {
    client.release(true);
  }
});

async function updatesOfTotals(client: pg.PoolClient): Promise<{ written: number; inPlace: number }> {
  const { rows } = await client.query(`select pg_stat_get_xact_tuples_updated(oid)::int as written,
    pg_stat_get_xact_tuples_hot_updated(oid)::int as "inPlace" from pg_class where relname = 'resource_totals'`);
  return rows[0];
}

test('transactions that count the same do not wait for each other', async () => {
  const [one, two] = [await db.pool.connect(), await db.pool.connect()];
  const insert = `insert into load_balancers (id, client_id, project_id, region_id, name, provisioning_status,
    operating_status, created_at) values (gen_random_uuid(), 1, 1, 2, 'lb', 'ACTIVE', 'ONLINE', now())`;
  try {
    await one.query('begin');
    await one.query(insert);
    await two.query(`begin; set local lock_timeout = '1s'`);
    await two.query(insert);
    await two.query('commit');
    await fold();
    await one.query('commit');
  } finally {
    one.release(true);
    two.release(true);
  }
  await allAreRight();
});
