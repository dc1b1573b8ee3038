import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../../test/harness/database.ts';
import { Db } from '../../../../platform/database/db.ts';
import { listPorts } from '../../ports/list-store.ts';
import { AVAILABLE_IPS, foldSubnetCounts, PORTS_WITH_ADDRESS } from './counts.ts';
import { listSubnets } from './list-store.ts';
import { begin, id, older, PLACE, type Step, SUBNETS, step, write } from './testing/changes.ts';

/** How many addresses and ports a subnet has is what counting says, whatever is given, freed, moved and deleted, and
 *  whether it is folded in or not. */

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 8 });
  // What is referred to is not asked here.
  await db.pool.query(`
    do $$ declare c record; begin
      for c in select conname, conrelid::regclass as of from pg_constraint
                where contype = 'f' and conrelid in ('ports'::regclass, 'networks'::regclass, 'subnets'::regclass)
      loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop; end $$;
    insert into networks (id, project_id, region_id, client_id, name, type, segmentation_id, mtu, external, created_at,
                          updated_at)
    select n.id::uuid, n.project, 2, n.project, 'net', 'vxlan', n.segment, 1450, n.project is null, now(), now()
      from (values ('${id(1)}', 1, 1), ('${id(2)}', 1, 2), ('${id(3)}', null, 3), ('${id(4)}', 2, 4)) n (id, project, segment)`);
});

afterAll(async () => {
  await db?.close();
  await database?.drop();
});

const fold = () => foldSubnetCounts(db).run(new AbortController().signal);

const COUNTED = `s.total_ips - (select count(*) from region_addresses a where a.subnet_id = s.id)
  + (select count(*) from region_addresses g
      where g.region_id = s.region_id and g.address = s.gateway_ip and g.subnet_id = s.id)`;
const PORTS = `(select count(distinct p.id) from region_addresses a join ports p on p.id = a.owner_id
  where a.subnet_id = s.id)`;

/** Subnets whose counts are wrong, as of one moment. */
async function wrong(): Promise<unknown[]> {
  const { rows } = await db.pool.query(
    `select * from (select s.id, ${AVAILABLE_IPS} as available, ${COUNTED} as expected, ${PORTS_WITH_ADDRESS} as ports,
                           ${PORTS} as expected_ports from subnets s) s
      where (available, ports) is distinct from (expected, expected_ports)`,
  );
  return rows;
}

async function listsAreRight(limit: number): Promise<void> {
  const { rows: all } = await db.pool.query(
    `select s.id, s.project_id, s.network_id, (${COUNTED})::text as available, ${PORTS} as ports from subnets s`,
  );
  for (const direction of ['asc', 'desc'] as const)
    for (const shared of [false, true])
      for (const networkId of [undefined, id(2)]) {
        const expected = all
          .filter(({ project_id }) => project_id === 1 || (shared && project_id === null))
          .filter(({ network_id }) => networkId === undefined || network_id === networkId)
          .sort(byAvailable(direction === 'asc' ? 1 : -1))
          .map(({ id, available }) => [id, available === null ? null : Number(available)]);
        const found: unknown[] = [];
        const order = `available_ips.${direction}` as const;
        for (let offset = 0; offset <= expected.length; offset += limit) {
          const page = await listSubnets(db, { ...PLACE, shared, networkId, order, limit, offset });
          expect(page.count).toBe(expected.length);
          found.push(...page.rows.map((row) => [row.id, row.available_ips]));
        }
        expect(found).toEqual(expected);
      }
  for (const { id: subnetId, project_id, ports } of all) {
    if (project_id !== 1) continue;
    const where = { ...PLACE, subnetIds: [subnetId], inTrunk: false, order: 'created_at.desc' } as const;
    const page = await listPorts(db, { ...where, limit: 100, offset: 0 });
    expect([subnetId, page.count, page.rows.length]).toEqual([subnetId, Number(ports), Number(ports)]);
  }
}

/** What has none comes last. */
const byAvailable =
  (sign: 1 | -1) =>
  (a: { available: string | null; id: string }, b: { available: string | null; id: string }) => {
    if (a.available === null || b.available === null)
      return Number(a.available === null) - Number(b.available === null) || sign * a.id.localeCompare(b.id);
    const difference = BigInt(a.available) - BigInt(b.available);
    return difference === 0n ? sign * a.id.localeCompare(b.id) : sign * Number(difference);
  };

const moment = <T>(one: fc.Arbitrary<T>) =>
  fc.record({ one, isUndone: fc.boolean(), after: fc.constantFrom('nothing', 'nothing', 'fold', 'recount') });

interface Moment {
  readonly one: Step;
  readonly isUndone: boolean;
  readonly after: string;
}

/** Writes whatever may be written, and compares with what counting says after each moment. */
const countsAreRight = (
  moments: fc.Arbitrary<Moment>,
  seed: number,
  atTheEnd: (moments: readonly Moment[]) => Promise<void> = async () => undefined,
) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(moments, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (those, limit) => {
        await begin(db);
        for (const { one, isUndone, after } of those) {
          await write(db, one, isUndone);
          if (after === 'fold') await fold();
          if (after === 'recount') await db.pool.query('select recount_subnets()');
          expect(await wrong()).toEqual([]);
        }
        await listsAreRight(limit);
        await atTheEnd(those);
      },
    ),
    { numRuns: 25, seed },
  );

test('whatever is given, freed, moved and deleted, counts, orders and pages are what counting says', async () => {
  await countsAreRight(moment(step), 1, async (moments) => {
    // Only what others write is counted anew.
    const { rows } = await db.pool.query('select * from subnet_changes where addresses is null');
    expect(rows.length === 0 || moments.some(({ one }) => one.kind === 'delete')).toBe(true);
  });
});

test('the same beside nodes of the last release, which write no changes', async () => {
  await countsAreRight(moment(fc.oneof(step, older)), 2);
});

test('the address of the gateway and a second address of a port are counted, folded in or not', async () => {
  const its = { subnet: SUBNETS[0], port: 0 };
  const steps: readonly Step[] = [
    { kind: 'give', ...its, host: 1 },
    { kind: 'move', ...its, host: 1, to: 2 },
    { kind: 'move', ...its, host: 2, to: 1 },
    { kind: 'give', ...its, host: 3 },
    { kind: 'give with owners', ...its, host: 4 },
    { kind: 'gateway', ...its, to: 3 },
    { kind: 'free', ...its, hosts: [3] },
    { kind: 'free', ...its, hosts: [1, 4] },
  ];
  for (const isFolded of [false, true]) {
    await begin(db);
    for (const one of steps) {
      await write(db, one, true);
      if (isFolded) await fold();
      expect([one, await wrong()]).toEqual([one, []]);
    }
  }
});

test('what is folded in is what counting anew says, and nothing is left to fold', async () => {
  const counts = 'select id, address_count, port_count, gateway_given from subnets order by id';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(step, older), { minLength: 1, maxLength: 40 }), async (steps) => {
      await begin(db);
      for (const one of steps) await write(db, one, false);
      await fold();
      const { rows: left } = await db.pool.query('select * from subnet_changes');
      expect(left).toEqual([]);
      const { rows: folded } = await db.pool.query(counts);
      await db.pool.query('select recount_subnets()');
      expect((await db.pool.query(counts)).rows).toEqual(folded);
    }),
    { numRuns: 30, seed: 3 },
  );
});

test('while many write at once, changes are folded in and all are counted anew, no count is wrong at any moment', async () => {
  await begin(db);
  // Ids of subnets do not come again, as they do here; who changes a gateway has locked those who give addresses out.
  const some = fc.sample(fc.oneof({ arbitrary: step, weight: 9 }, { arbitrary: older, weight: 1 }), {
    ...{ numRuns: 600, seed: 4 },
  });
  const steps = some.filter(({ kind }) => !['delete', 'create', 'older gateway'].includes(kind));
  let writers = 4;
  const writer = async (n: number) => {
    for (const [i, one] of steps.entries()) if (i % 4 === n) await write(db, one, i % 3 === 0);
    writers -= 1;
  };
  const until = async (work: () => Promise<unknown>) => {
    while (writers > 0) await work();
  };
  await Promise.all([
    ...[0, 1, 2, 3].map(writer),
    until(fold),
    until(fold),
    // After the other counts, which have locked the table, too.
    until(() => db.pool.query('lock table subnets in share row exclusive mode; select recount_subnets()')),
    until(async () => expect(await wrong()).toEqual([])),
  ]);
  await fold();
  expect(await wrong()).toEqual([]);
  expect((await db.pool.query('select * from subnet_changes')).rows).toEqual([]);
});

test('the count of the ports of a subnet is the stored one, unless something else narrows the list', async () => {
  await begin(db);
  await write(db, { kind: 'give', subnet: SUBNETS[0], port: 0, host: 2 }, false);
  await fold();
  // As if there were more of them than anybody could count.
  await db.pool.query('update subnets set port_count = 1000000 where id = $1', [id(10)]);
  const all = { ...PLACE, clientId: 1, subnetIds: [id(10)], inTrunk: false, limit: 10, offset: 0 };
  const count = async (more: object) =>
    (await listPorts(db, { ...all, order: 'created_at.desc', ...more })).count;
  expect(await count({})).toBe(1_000_000);
  for (const more of [
    { attached: false },
    { subnetIds: [id(10), id(11)] },
    { managedBy: 'user' },
    { ids: [id(100)] },
  ])
    expect([more, await count(more)]).toEqual([more, 1]);
});

test('a subnet that somebody has locked does not keep the others waiting', async () => {
  await begin(db);
  const [first, second] = [SUBNETS[0], SUBNETS[1]];
  for (const one of [first, second]) await write(db, { kind: 'give', subnet: one, port: 0, host: 2 }, false);
  const changed = async () =>
    (await db.pool.query('select subnet_id from subnet_changes order by 1')).rows.map((row) => row.subnet_id);
  await db.transaction(async (tx) => {
    await tx.named('test_lock', 'select from subnets where id = $1 for update', [id(first.n)]);
    await fold();
    expect(await changed()).toEqual([id(first.n)]);
  });
  await fold();
  expect(await changed()).toEqual([]);
});
