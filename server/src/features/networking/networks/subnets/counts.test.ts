import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../../test/harness/database.ts';
import { constraintOf, Db, type Tx } from '../../../../platform/database/db.ts';
import {
  freeAddresses,
  freed,
  giveAddress,
  giveAnyAddress,
  given,
  lockAddresses,
  moveAddress,
} from '../../addresses/index.ts';
import { listPorts } from '../../ports/list-store.ts';
import { removePorts } from '../../ports/store.ts';
import { AVAILABLE_IPS, foldSubnetCounts, PORTS_WITH_ADDRESS } from './counts.ts';
import { listSubnets } from './list-store.ts';
import { changeSubnet, readSubnets } from './store.ts';

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

function id(n: number) {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

const AT = '2026-03-01T00:00:00Z';
const PLACE = { projectId: 1, regionId: 2 };
const WHOLE_REGION = '00000000-0000-0000-0000-000000000000';

/** Two networks of the project, the region's own, and another project's; IPv6 has more addresses than are counted. */
const SUBNETS = [
  { n: 10, network: 1, project: 1, cidr: '10.0.0.0/29', total: 5 },
  { n: 11, network: 1, project: 1, cidr: '10.0.1.0/29', total: 5 },
  { n: 12, network: 2, project: 1, cidr: '2001:db8::/64', total: Number.MAX_SAFE_INTEGER },
  { n: 13, network: 2, project: 1, cidr: '10.0.3.0/29', total: 6 },
  { n: 14, network: 3, project: null, cidr: '10.0.4.0/29', total: null },
  { n: 15, network: 3, project: null, cidr: '10.0.5.0/29', total: 5 },
  { n: 16, network: 4, project: 2, cidr: '10.0.6.0/29', total: 5 },
] as const;
type Subnet = (typeof SUBNETS)[number];

const addressIn = ({ cidr }: Subnet, host: number) => cidr.replace(/0?\/.*/, String(host));
const roomOf = (subnet: Subnet) => ({
  regionId: 2,
  // As in regions whose networks share their addresses, and in those whose do not.
  space: subnet.network === 2 ? WHOLE_REGION : id(subnet.network),
  subnetId: id(subnet.n),
  cidr: subnet.cidr,
  gateway: addressIn(subnet, 1),
});

async function insertSubnet(tx: Pick<Tx, 'named'>, subnet: Subnet): Promise<void> {
  await tx.named(
    'test_subnet',
    `insert into subnets (id, network_id, project_id, region_id, client_id, name, cidr, gateway_ip, total_ips, created_at,
                          updated_at)
     values ($1, $2, $3, 2, $3, 'sub', $4, $5, $6, $7, $7) on conflict do nothing`,
    [id(subnet.n), id(subnet.network), subnet.project, subnet.cidr, addressIn(subnet, 1), subnet.total, AT],
  );
}

async function insertPort(tx: Tx, port: number, { network, project }: Subnet): Promise<void> {
  await tx.named(
    'test_port',
    `insert into ports (id, project_id, region_id, client_id, network_id, created_at, updated_at)
     values ($1, coalesce($2, 1), 2, 1, $3, $4, $4) on conflict do nothing`,
    [id(port), project, id(network), AT],
  );
}

async function begin(): Promise<void> {
  await db.pool.query(
    'delete from subnets; delete from ports; delete from region_addresses; delete from subnet_changes',
  );
  for (const subnet of SUBNETS) await insertSubnet(db, subnet);
}

const fold = () => foldSubnetCounts(db).run(new AbortController().signal);

const subnet = fc.constantFrom(...SUBNETS);
const host = fc.integer({ min: 1, max: 6 });
const hosts = fc.array(host, { minLength: 1, maxLength: 3 });
/** Ports have a number of their own, by subnet, so that they stay in their network. */
const port = fc.nat(2);
const portOf = ({ network }: Subnet, n: number) => 100 * network + n;
const nodeOf = ({ n }: Subnet, host: number) => 1000 * n + host;

/** What happens in one transaction. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('give' as const), subnet, port, host }),
  fc.record({ kind: fc.constant('give any' as const), subnet, port }),
  fc.record({ kind: fc.constant('give with owners' as const), subnet, port, host }),
  fc.record({ kind: fc.constant('move' as const), subnet, port, host, to: host }),
  fc.record({ kind: fc.constant('free' as const), subnet, port, hosts }),
  fc.record({ kind: fc.constant('remove' as const), subnet, ports: fc.uniqueArray(port, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('add nodes' as const), subnet, hosts }),
  fc.record({ kind: fc.constant('remove nodes' as const), subnet, hosts }),
  fc.record({ kind: fc.constant('gateway' as const), subnet, to: fc.option(host) }),
  fc.record({ kind: fc.constant('delete' as const), subnet }),
  fc.record({ kind: fc.constant('create' as const), subnet }),
);
/** Statements of nodes of 0.2.0. */
const older = fc.oneof(
  fc.record({ kind: fc.constant('older gives' as const), subnet, port, hosts }),
  fc.record({ kind: fc.constant('older frees' as const), subnet, port }),
  fc.record({ kind: fc.constant('older gateway' as const), subnet, to: fc.option(host) }),
);
type Step =
  | (typeof step extends fc.Arbitrary<infer T> ? T : never)
  | (typeof older extends fc.Arbitrary<infer T> ? T : never);

const nodeRows = (one: Subnet, hosts: readonly number[]) =>
  [...new Set(hosts)]
    .sort((a, b) => a - b)
    .map((n) => {
      const { regionId, space, subnetId } = roomOf(one);
      return `select ${regionId} as region_id, '${space}'::uuid as space, '${addressIn(one, n)}'::inet as address,
                     '${id(nodeOf(one, n))}'::uuid as owner_id, '${subnetId}'::uuid as subnet_id
               where not exists (select from region_addresses a
                                  where a.space = '${space}' and a.address = '${addressIn(one, n)}')`;
    })
    .join(' union all ');

async function apply(tx: Tx, one: Step): Promise<void> {
  const its = roomOf(one.subnet);
  const run = (text: string, values: readonly unknown[] = []) =>
    tx.kysely.executeQuery({ sql: text, parameters: values, query: {} as never, queryId: {} as never });
  const at = (n: number) => addressIn(one.subnet, n);
  const [exists] = await readSubnets(tx, [its.subnetId]);
  if (!exists) {
    if (one.kind === 'create') await insertSubnet(tx, one.subnet);
    return;
  }
  // What gives ports their addresses, or removes them, has locked these.
  if ('port' in one || 'ports' in one) await lockAddresses(tx, 2);
  if ('port' in one) await insertPort(tx, portOf(one.subnet, one.port), one.subnet);
  const owner = 'port' in one ? id(portOf(one.subnet, one.port)) : '';
  switch (one.kind) {
    case 'give':
      await giveAddress(tx, its, at(one.host), owner);
      return;
    case 'give any':
      await giveAnyAddress(tx, its, owner);
      return;
    case 'give with owners': {
      const row = nodeRows(one.subnet, [one.host]).replace(id(nodeOf(one.subnet, one.host)), owner);
      await run(`with ${given(row)} select`);
      return;
    }
    case 'move':
      if (!(await isFree(tx, its, at(one.to)))) return;
      await moveAddress(tx, owner, at(one.host), at(one.to));
      return;
    case 'free':
      await freeAddresses(tx, owner, one.hosts.map(at));
      return;
    case 'remove':
      await removePorts(
        tx,
        one.ports.map((n) => id(portOf(one.subnet, n))),
        AT,
      );
      return;
    case 'add nodes':
      await run(`with ${given(nodeRows(one.subnet, one.hosts), 'nodes')} select`);
      return;
    case 'remove nodes': {
      const ids = one.hosts.map((n) => `'${id(nodeOf(one.subnet, n))}'::uuid`).join(', ');
      await run(`with ${freed(ids, 'nodes')} select`);
      return;
    }
    case 'gateway': {
      const rest = { name: 'sub', enableDhcp: true, nameServers: null, hostRoutes: null, tags: {} };
      const total = one.subnet.total === null ? null : one.subnet.total - (one.to === null ? 0 : 1);
      const gateway = one.to === null ? null : at(one.to);
      await changeSubnet(tx, its.subnetId, { ...rest, gateway, totalIps: total }, AT);
      return;
    }
    case 'delete':
      await run(
        'with gone as (delete from region_addresses where subnet_id = $1) delete from subnets where id = $1',
        [its.subnetId],
      );
      return;
    case 'create':
      return;
    case 'older gives':
      for (const n of one.hosts)
        await run(
          `insert into region_addresses (region_id, space, address, owner_id, subnet_id) values (2, $1, $2, $3, $4)
           on conflict do nothing`,
          [its.space, at(n), owner, its.subnetId],
        );
      return;
    case 'older frees':
      await run('delete from region_addresses where owner_id = $1', [owner]);
      return;
    case 'older gateway': {
      // A router follows its gateway; the address of another one is refused.
      const [from, to] = [exists.gateway_ip, one.to === null ? null : at(one.to)];
      if (to !== null && !(await isFree(tx, its, to))) return;
      if (to === null)
        await run('delete from region_addresses where subnet_id = $1 and address = $2', [its.subnetId, from]);
      else
        await run('update region_addresses set address = $3 where subnet_id = $1 and address = $2', [
          ...[its.subnetId, from, to],
        ]);
      await run('update subnets set gateway_ip = $2 where id = $1', [its.subnetId, to]);
    }
  }
}

async function isFree(tx: Tx, { space }: ReturnType<typeof roomOf>, address: string): Promise<boolean> {
  const row = await tx.namedRow(
    'test_is_free',
    'select from region_addresses where space = $1 and address = $2',
    [...[space, address]],
  );
  return row === undefined;
}

const undone = new Error('undone');

/** Of what is rolled back nothing must be counted. */
async function write(one: Step, isUndone: boolean): Promise<void> {
  if (isUndone)
    await db
      .transaction(async (tx) => {
        await apply(tx, one);
        throw undone;
      })
      .catch((error) => {
        if (error !== undone && constraintOf(error) !== 'region_addresses_pkey') throw error;
      });
  // Another writer may have given the address meanwhile.
  await db
    .transaction((tx) => apply(tx, one))
    .catch((error) => {
      if (constraintOf(error) !== 'region_addresses_pkey') throw error;
    });
}

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

test('whatever is given, freed, moved and deleted, counts, orders and pages are what counting says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moment(step), { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (moments, limit) => {
        await begin();
        for (const { one, isUndone, after } of moments) {
          await write(one, isUndone);
          if (after === 'fold') await fold();
          if (after === 'recount') await db.pool.query('select recount_subnets()');
          expect(await wrong()).toEqual([]);
        }
        await listsAreRight(limit);
        // Only what others write is counted anew.
        const { rows } = await db.pool.query('select * from subnet_changes where addresses is null');
        expect(rows.length === 0 || moments.some(({ one }) => one.kind === 'delete')).toBe(true);
      },
    ),
    { numRuns: 25, seed: 1 },
  );
});

test('the same beside nodes of the last release, which write no changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moment(fc.oneof(step, older)), { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (moments, limit) => {
        await begin();
        for (const { one, isUndone, after } of moments) {
          await write(one, isUndone);
          if (after === 'fold') await fold();
          expect(await wrong()).toEqual([]);
        }
        await listsAreRight(limit);
      },
    ),
    { numRuns: 25, seed: 2 },
  );
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
    await begin();
    for (const one of steps) {
      await write(one, true);
      if (isFolded) await fold();
      expect([one, await wrong()]).toEqual([one, []]);
    }
  }
});

test('what is folded in is what counting anew says, and nothing is left to fold', async () => {
  const counts = 'select id, address_count, port_count, gateway_given from subnets order by id';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(step, older), { minLength: 1, maxLength: 40 }), async (steps) => {
      await begin();
      for (const one of steps) await write(one, false);
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
  await begin();
  // Ids of subnets do not come again, as they do here; who changes a gateway has locked those who give addresses out.
  const some = fc.sample(fc.oneof({ arbitrary: step, weight: 9 }, { arbitrary: older, weight: 1 }), {
    ...{ numRuns: 600, seed: 4 },
  });
  const steps = some.filter(({ kind }) => !['delete', 'create', 'older gateway'].includes(kind));
  let writers = 4;
  const writer = async (n: number) => {
    for (const [i, one] of steps.entries()) if (i % 4 === n) await write(one, i % 3 === 0);
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
  await begin();
  await write({ kind: 'give', subnet: SUBNETS[0], port: 0, host: 2 }, false);
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
  await begin();
  const [first, second] = [SUBNETS[0], SUBNETS[1]];
  for (const one of [first, second]) await write({ kind: 'give', subnet: one, port: 0, host: 2 }, false);
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
