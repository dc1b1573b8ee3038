import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestDb } from '../../../../test/harness/db.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { listInstances } from './list-store.ts';
import { InstanceListQuery } from './schema.ts';

/** Lists of instances have what the rows, their tags and addresses say, whatever index is used. */

// What instances refer to is not asked here.
const db = shared(() =>
  startTestDb(`
    do $$ declare c record; begin
      for c in select conname, conrelid::regclass as of from pg_constraint
                where contype = 'f' and conrelid in ('instances'::regclass, 'ports'::regclass, 'floating_ips'::regclass,
                                                     'region_addresses'::regclass, 'networks'::regclass,
                                                     'security_groups'::regclass)
      loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop; end $$;
    insert into networks (id, project_id, region_id, client_id, name, type, segmentation_id, mtu, created_at, updated_at)
    values ('${id(7)}', 1, 2, 1, 'seven', 'vxlan', 7, 1450, now(), now());
    insert into networks (id, region_id, name, type, segmentation_id, mtu, external, created_at, updated_at)
    values ('${id(6)}', 2, 'outside', 'vlan', 8, 1450, true, now(), now());
    insert into security_groups (id, project_id, region_id, client_id, name, created_at, updated_at)
    select ('00000000-0000-4000-8000-00000000030' || i)::uuid, 1, 2, 1, case when i < 2 then 'web' else 'db' end, now(), now()
      from generate_series(0, 2) i`),
);

function id(n: number) {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

const BEGIN = Date.parse('2026-03-01T00:00:00Z');
const moment = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(-1, 0, 1, 1_800_000))
  .map(([hours, ms]) => new Date(BEGIN + hours * 3_600_000 + ms).toISOString());
const VALUES = ['a', 'b', 'quo"te', 'back\\slash', "apo'strophe", '$.value', 'ä{1}'];
const ADDRESSES = ['10.0.0.7', '10.0.0.77', '10.0.70.1', '110.0.0.7', '2001:db8::7', '2001:db8:0:1::7'];
const instance = fc.record({
  project: fc.constantFrom(1, 1, 2),
  created: moment,
  changed: moment,
  status: fc.constantFrom('ACTIVE', 'ERROR'),
  inCluster: fc.boolean(),
  tags: fc.dictionary(fc.constantFrom('team', 'cost'), fc.constantFrom(...VALUES), { noNullPrototype: true }),
  inside: fc.option(fc.constantFrom(...ADDRESSES), { nil: undefined }),
  floating: fc.option(fc.constantFrom(...ADDRESSES), { nil: undefined }),
  node: fc.option(fc.constantFrom(...ADDRESSES), { nil: undefined }),
  /** Of the groups 300, 301 (web) and 302 (db), those of its port. */
  groups: fc.subarray([300, 301, 302]),
  nodeGroups: fc.subarray(['web', 'db']),
  isOutside: fc.boolean(),
  /** Further ports, outside or not. */
  further: fc.array(fc.boolean(), { maxLength: 2 }),
  publicIp: fc.boolean(),
  // What happens to it once it is counted.
  later: fc.option(
    fc.record({ at: moment, tags: fc.dictionary(fc.constantFrom('team'), fc.constantFrom(...VALUES)) }),
    { nil: undefined },
  ),
});
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const query = fc.record({
  'changes-since': maybe(moment),
  'changes-before': maybe(moment),
  tag_value: maybe(fc.array(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 2 })),
  ip: maybe(
    fc.tuple(fc.constantFrom(...ADDRESSES), fc.nat(14)).map(([address, length]) => address.slice(0, length)),
  ),
  status: maybe(fc.constantFrom('ACTIVE' as const, 'ERROR' as const)),
  include_k8s: maybe(fc.boolean()),
  exclude_secgroup: maybe(fc.constantFrom('web', 'db', 'none')),
  only_with_fixed_external_ip: maybe(fc.boolean()),
  available_floating: maybe(fc.boolean()),
  tags: fc.dictionary(fc.constantFrom('team', 'cost'), fc.constantFrom('a', 'b'), { maxKeys: 2 }),
});
/** Always asked for, also alone. */
const WITH_FLOATING = { available_floating: true, tags: {} };
type Requested = typeof query extends fc.Arbitrary<infer T> ? T : never;
type Query = Partial<Requested> & Pick<Requested, 'tags'>;

type Instance = typeof instance extends fc.Arbitrary<infer T> ? T : never;
interface Stored extends Instance {
  readonly n: number;
}

test('whatever there is and is asked for, the page and the count are those of the instances', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(instance, { maxLength: 8 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      async (instances, some) => {
        const queries: Query[] = [...some, WITH_FLOATING];
        await db.pool.query(
          'delete from instances; delete from ports; delete from floating_ips; delete from region_addresses',
        );
        const stored: Stored[] = [];
        for (const [n, one] of instances.entries()) stored.push(await add(n, one));
        for (const [i, { n, later }] of stored.entries())
          if (later) stored[i] = await change(n, stored[i] as Stored, later);
        for (const requested of queries) await compare(stored, requested);
      },
    ),
    { numRuns: 40, seed: 1 },
  );
});

const completed = (query: object) => Value.Default(InstanceListQuery, query) as InstanceListQuery;

async function compare(stored: readonly Stored[], requested: Query) {
  const expected = stored
    .filter((one) => one.project === 1 && matches(one, requested))
    .sort((a, b) => b.created.localeCompare(a.created) || b.n - a.n)
    .map(({ n }) => id(n));
  const { tags, ...filters } = requested;
  const where = { projectId: 1, regionId: 2, query: completed(filters), tags };
  const found = await listInstances(db, where);
  expect([requested, found.count, found.rows.map((row) => row.id)]).toEqual([
    requested,
    expected.length,
    expected,
  ]);
}

function matches(one: Stored, requested: Query): boolean {
  const { 'changes-since': since, 'changes-before': before, tag_value: values = [], ip, status } = requested;
  const own = one.publicIp ? PUBLIC_IP : undefined;
  const ports = [one.isOutside, ...one.further];
  const addresses = [one.inside, one.floating, one.node, own].filter((address) => address !== undefined);
  return (
    (since === undefined || one.changed >= since) &&
    (before === undefined || one.changed <= before) &&
    values.every((value) => Object.values(one.tags).includes(value)) &&
    (ip === undefined || addresses.some((address) => address.startsWith(ip))) &&
    (status === undefined || one.status === status) &&
    (requested.include_k8s !== false || !one.inCluster) &&
    !groupsOf(one).some((group) => group === requested.exclude_secgroup) &&
    (!requested.only_with_fixed_external_ip || one.publicIp || ports.includes(true)) &&
    (!requested.available_floating || (one.inCluster && !one.publicIp) || ports.includes(false)) &&
    Object.entries(requested.tags).every(([key, value]) => one.tags[key] === value)
  );
}

const groupsOf = ({ groups, nodeGroups }: Instance) => [
  ...nodeGroups,
  ...groups.map((group) => (group < 302 ? 'web' : 'db')),
];
const PUBLIC_IP = '203.0.113.1';

const stored = (tags: Readonly<Record<string, string>>) =>
  JSON.stringify(
    Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, { value, read_only: false }])),
  );

/** Nothing changes before it is there. */
async function add(n: number, one: Instance): Promise<Stored> {
  const changed = one.changed > one.created ? one.changed : one.created;
  await db.pool.query(
    `insert into instances (id, client_id, project_id, region_id, name, flavor, status, vm_state, tags, private_ip,
                            status_since, created_at, updated_at, cluster_id, security_groups, public_ip)
     values ($1, 1, $2, 2, 'name', '{"id": "f"}', $3, 'active', $4, $5, now(), $6, $7, $8, $9, $10)`,
    [
      id(n),
      one.project,
      one.status,
      stored(one.tags),
      one.node ?? null,
      one.created,
      changed,
      one.inCluster ? id(8) : null,
      one.nodeGroups,
      one.publicIp ? PUBLIC_IP : null,
    ],
  );
  await db.pool.query(
    `insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, created_at, updated_at,
                        security_group_ids)
     values ($1, $2, 2, 1, $3, 'instance', $4, now(), now(), $5)`,
    [id(100 + n), one.project, id(one.isOutside ? 6 : 7), id(n), one.groups.map(id)],
  );
  for (const [i, isOutside] of one.further.entries())
    await db.pool.query(
      `insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, position, created_at,
                          updated_at)
       values (gen_random_uuid(), $1, 2, 1, $2, 'instance', $3, $4, now(), now())`,
      [one.project, id(isOutside ? 6 : 7), id(n), i + 1],
    );
  const give = (address: string | undefined, owner: number) =>
    address === undefined
      ? undefined
      : db.pool.query(
          `insert into region_addresses (region_id, address, owner_id, space) values (2, $1, $2, $2)`,
          [address, id(owner)],
        );
  await give(one.inside, 100 + n);
  if (one.floating !== undefined) {
    await db.pool.query(
      `insert into floating_ips (id, client_id, project_id, region_id, floating_ip_address, port_id, created_at, updated_at)
       values ($1, 1, $2, 2, $3, $4, now(), now())`,
      [id(200 + n), one.project, one.floating, id(100 + n)],
    );
    await give(one.floating, 200 + n);
  }
  return { ...one, changed, n };
}

async function change(n: number, one: Stored, later: NonNullable<Instance['later']>): Promise<Stored> {
  const changed = later.at > one.created ? later.at : one.created;
  await db.pool.query('update instances set tags = $2, updated_at = $3 where id = $1', [
    id(n),
    stored(later.tags),
    changed,
  ]);
  return { ...one, tags: later.tags, changed };
}

test('an address that very many begin like is found as well', async () => {
  await db.pool.query(
    'delete from instances; delete from ports; delete from floating_ips; delete from region_addresses',
  );
  const at = '2026-03-01';
  const none = {
    tags: {},
    groups: [],
    nodeGroups: [],
    inCluster: false,
    isOutside: false,
    publicIp: false,
    further: [],
  };
  const one = { ...none, project: 1, created: at, changed: at, status: 'ACTIVE', later: undefined } as const;
  await add(1, { ...one, inside: '10.0.0.7', floating: undefined, node: undefined });
  await add(2, { ...one, inside: '192.0.2.1', floating: '10.0.0.8', node: undefined });
  await add(3, { ...one, inside: '192.0.2.2', floating: undefined, node: '10.0.0.9' });
  await add(4, { ...one, inside: '192.0.2.10', floating: undefined, node: undefined });
  await db.pool.query(`insert into region_addresses (region_id, address, owner_id, space)
    select 2, '10.1.0.0'::inet + i, gen_random_uuid(), '${id(9)}' from generate_series(1, 10001) i`);
  const found = await listInstances(db, {
    projectId: 1,
    regionId: 2,
    query: completed({ ip: '10.' }),
    tags: {},
  });
  expect([found.count, found.rows.map((row) => row.id)]).toEqual([3, [id(3), id(2), id(1)]]);
});
