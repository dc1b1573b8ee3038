import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestDb } from '../../../../../../test/harness/db.ts';
import { shared } from '../../../../../../test/harness/shared.ts';
import { listPorts } from '../../ports/list-store.ts';
import { listSubnets } from './list-store.ts';

/** What is free in subnets, their order by it and the ports of a subnet are what their addresses say. */

// What is referred to is not asked here.
const db = shared(() =>
  startTestDb(`
    do $$ declare c record; begin
      for c in select conname, conrelid::regclass as of from pg_constraint
                where contype = 'f' and conrelid in ('ports'::regclass, 'networks'::regclass, 'subnets'::regclass)
      loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop; end $$`),
);

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const SCOPE = { projectId: 1, regionId: 2 };

/** Of the project, of the region, and of another project; the region's own network is the third. */
const SUBNETS = [
  { n: 10, network: 1, project: 1, cidr: '10.0.0.0/29', total: 5 },
  { n: 11, network: 1, project: 1, cidr: '10.0.1.0/29', total: 5 },
  { n: 12, network: 2, project: 1, cidr: '2001:db8::/64', total: Number.MAX_SAFE_INTEGER },
  { n: 13, network: 3, project: null, cidr: '10.0.4.0/29', total: null },
  { n: 14, network: 3, project: null, cidr: '10.0.5.0/29', total: 5 },
  { n: 15, network: 4, project: 2, cidr: '10.0.6.0/29', total: 5 },
] as const;
type Subnet = (typeof SUBNETS)[number];

const addressIn = ({ cidr }: Subnet, host: number) => cidr.replace(/0?\/.*/, String(host));

const address = fc.record({
  subnet: fc.constantFrom(...SUBNETS),
  // The first is the gateway's.
  host: fc.integer({ min: 1, max: 6 }),
  port: fc.nat(2),
});
type Address = typeof address extends fc.Arbitrary<infer T> ? T : never;

const portOf = ({ subnet, port }: Address) => id(100 * subnet.network + port);
const isNamed = ({ subnet }: Address) => subnet.project !== null;

async function store(addresses: readonly Address[]): Promise<void> {
  await db.pool.query(
    'delete from subnets; delete from ports; delete from networks; delete from region_addresses',
  );
  await db.pool.query(
    `insert into networks (id, project_id, region_id, client_id, name, type, segmentation_id, mtu, external, created_at,
                           updated_at)
     select n.id::uuid, n.project, 2, n.project, 'net', 'vxlan', n.segment, 1450, n.project is null, now(), now()
       from (values ('${id(1)}', 1, 1), ('${id(2)}', 1, 2), ('${id(3)}', null, 3), ('${id(4)}', 2, 4)) n (id, project, segment)`,
  );
  for (const subnet of SUBNETS)
    await db.pool.query(
      `insert into subnets (id, network_id, project_id, region_id, client_id, name, cidr, gateway_ip, total_ips,
                            created_at, updated_at) values ($1, $2, $3, 2, $3, 'sub', $4, $5, $6, now(), now())`,
      [id(subnet.n), id(subnet.network), subnet.project, subnet.cidr, addressIn(subnet, 1), subnet.total],
    );
  for (const one of addresses) {
    await db.pool.query(
      `insert into ports (id, project_id, region_id, client_id, network_id, created_at, updated_at)
       values ($1, $2, 2, 1, $3, now(), now()) on conflict do nothing`,
      [portOf(one), one.subnet.project ?? 1, id(one.subnet.network)],
    );
    await db.pool.query(
      `insert into region_addresses (region_id, space, address, owner_id, subnet_id) values (2, $1, $2, $3, $4)`,
      [
        id(one.subnet.network),
        addressIn(one.subnet, one.host),
        portOf(one),
        // Those of the region's own network name no subnet.
        isNamed(one) ? id(one.subnet.n) : null,
      ],
    );
  }
}

const unique = fc.uniqueArray(address, {
  maxLength: 14,
  selector: ({ subnet, host }) => `${subnet.n} ${host}`,
});

test('whatever addresses are given, subnets show and are ordered by what is free', async () => {
  await fc.assert(
    fc.asyncProperty(
      unique,
      fc.boolean(),
      fc.constantFrom('asc', 'desc'),
      async (addresses, all, direction) => {
        await store(addresses);
        const sign = direction === 'asc' ? 1 : -1;
        const free = ({ n, total }: Subnet) =>
          total === null
            ? null
            : total - addresses.filter((one) => isNamed(one) && one.subnet.n === n && one.host !== 1).length;
        const expected = SUBNETS.filter(({ project }) => project === 1 || (all && project === null))
          .map((subnet) => [id(subnet.n), free(subnet)] as const)
          .sort(([a, x], [b, y]) => {
            const byId = sign * a.localeCompare(b);
            if (x === null || y === null) return Number(x === null) - Number(y === null) || byId;
            return x === y ? byId : sign * (x - y);
          });
        const found: unknown[] = [];
        for (let offset = 0; offset <= expected.length; offset += 2) {
          const order = `available_ips.${direction}` as const;
          const page = await listSubnets(db, { ...SCOPE, shared: all, order, limit: 2, offset });
          expect(page.count).toBe(expected.length);
          found.push(...page.rows.map((row) => [row.id, row.available_ips]));
        }
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: 40, seed: 1 },
  );
});

test('ports of subnets are those with an address there, also in the network of the region', async () => {
  const requested = fc.uniqueArray(fc.constantFrom(...SUBNETS), { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(unique, requested, async (addresses, subnets) => {
      await store(addresses);
      const expected = addresses
        .filter(({ subnet }) => subnets.includes(subnet) && (subnet.project ?? 1) === 1)
        .map(portOf);
      const page = await listPorts(db, {
        ...SCOPE,
        subnetIds: subnets.map(({ n }) => id(n)),
        inTrunk: false,
        order: 'created_at.desc',
        limit: 100,
        offset: 0,
      });
      expect(page.count).toBe(new Set(expected).size);
      expect(page.rows.map((row) => row.id).sort()).toEqual([...new Set(expected)].sort());
    }),
    { numRuns: 40, seed: 1 },
  );
});
