import fc from 'fast-check';
import { constraintOf, type Db, type Tx } from '../../../../../platform/database/db.ts';
import {
  freeAddresses,
  freed,
  giveAddress,
  giveAnyAddress,
  given,
  lockAddresses,
  moveAddress,
} from '../../../addresses/index.ts';
import { removePorts } from '../../../ports/store.ts';
import { changeSubnet, readSubnets } from '../store.ts';

/** What happens to addresses of subnets, for tests of their counts. */

export function id(n: number) {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

const AT = '2026-03-01T00:00:00Z';
export const PLACE = { projectId: 1, regionId: 2 };
const WHOLE_REGION = '00000000-0000-0000-0000-000000000000';

/** Two networks of the project, the region's own, and another project's; IPv6 has more addresses than are counted. */
export const SUBNETS = [
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

const subnet = fc.constantFrom(...SUBNETS);
const host = fc.integer({ min: 1, max: 6 });
const hosts = fc.array(host, { minLength: 1, maxLength: 3 });
/** Ports have a number of their own, by subnet, so that they stay in their network. */
const port = fc.nat(2);
const portOf = ({ network }: Subnet, n: number) => 100 * network + n;
const nodeOf = ({ n }: Subnet, host: number) => 1000 * n + host;

/** What happens in one transaction. */
export const step = fc.oneof(
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
export const older = fc.oneof(
  fc.record({ kind: fc.constant('older gives' as const), subnet, port, hosts }),
  fc.record({ kind: fc.constant('older frees' as const), subnet, port }),
  fc.record({ kind: fc.constant('older gateway' as const), subnet, to: fc.option(host) }),
);
export type Step =
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
  if ('port' in one || 'ports' in one) await lockAddresses(tx, 2, [its.space]);
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

/** No addresses yet. */
export async function begin(db: Db): Promise<void> {
  await db.pool.query(
    'delete from subnets; delete from ports; delete from region_addresses; delete from subnet_changes',
  );
  for (const subnet of SUBNETS) await insertSubnet(db, subnet);
}

const undone = new Error('undone');

/** Of what is rolled back nothing must be counted. */
export async function write(db: Db, one: Step, isUndone: boolean): Promise<void> {
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
