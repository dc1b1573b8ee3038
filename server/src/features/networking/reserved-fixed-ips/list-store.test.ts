import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestDb } from '../../../../../test/harness/db.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { listReservedIps } from './list-store.ts';
import { RESERVED_ORDERS } from './schema.ts';

/** Lists of reserved addresses have what the rows and their ports say, whatever index or count is used. */

// What reserved addresses refer to is not asked here.
const db = shared(() =>
  startTestDb(`
    alter table reserved_fixed_ips drop constraint reserved_fixed_ips_subnet_id_fkey,
      drop constraint reserved_fixed_ips_network_id_fkey, drop constraint reserved_fixed_ips_project_id_fkey,
      drop constraint reserved_fixed_ips_additional_subnet_id_fkey;
    alter table ports drop constraint ports_project_id_fkey`),
);

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const ADDRESSES = ['10.4.0.9', '10.4.0.90', '110.4.0.9', '2001:db8::9', '2001:db8::9a', null];

const reserved = fc.record({
  project: fc.constantFrom(1, 2),
  used: fc.boolean(),
  vip: fc.boolean(),
  external: fc.boolean(),
  address: fc.constantFrom(...ADDRESSES),
  additional: fc.constantFrom('2001:db8::9', '10.4.0.9', null),
  // Whether an instance beside it has its address among its pairs.
  shared: fc.boolean(),
});
const query = fc.record({
  availableOnly: fc.boolean(),
  externalOnly: fc.boolean(),
  internalOnly: fc.boolean(),
  vipOnly: fc.boolean(),
  address: fc.option(
    fc.constantFrom('10.4.0.9', '2001:DB8:0::9', '10.4', '^10\\.4\\.0\\.9$', '9a?$', '2001:db8::9a'),
    { nil: undefined },
  ),
  deviceId: fc.option(fc.constantFrom(id(1), id(3), 'nothing'), { nil: undefined }),
  order: fc
    .tuple(fc.constantFrom(...RESERVED_ORDERS), fc.constantFrom('asc' as const, 'desc' as const))
    .map(([field, direction]) => `${field}.${direction}` as const),
});

/** What the list was before it had indexes and counts of its own. */
const PLAIN = `select r.port_id, p.device_id is null as is_free from reserved_fixed_ips r join ports p on p.id = r.port_id
  where r.project_id = 1 and r.region_id = 2
    and (not $1::boolean or (p.device_id is null and not (r.is_vip and exists (
      select from ports c where c.network_id = r.network_id and c.device_type = 'instance'
        and c.allowed_address_pairs @> jsonb_build_array(jsonb_build_object('ip_address', host(r.ip_address)))))))
    and (not $2::boolean or r.is_external) and (not $3::boolean or not r.is_external) and (not $4::boolean or r.is_vip)
    and ($5::text is null or case when $5 ~ '^[0-9a-fA-F:]*[.:][0-9a-fA-F.:]*$' and $5 <> '10.4'
           then $5::inet in (r.ip_address, r.additional_address)
           else host(r.ip_address) ~ $5 or host(r.additional_address) ~ $5 end)
    and ($6::text is null or p.device_id::text = $6)`;

test('whatever is reserved and asked for, the page and the count are those of the rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reserved, { maxLength: 10 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      async (rows, queries) => {
        await db.pool.query('delete from reserved_fixed_ips; delete from ports');
        for (const [n, row] of rows.entries()) await add(n, row);
        for (const requested of queries) {
          const where = { ...requested, projectId: 1, regionId: 2, limit: 100, offset: 0 };
          const found = await listReservedIps(db, where);
          const { availableOnly, externalOnly, internalOnly, vipOnly, address, deviceId } = requested;
          const values = [availableOnly, externalOnly, internalOnly, vipOnly, address, deviceId];
          const [field, direction] = requested.order.split('.');
          const keys = { status: 'is_free', fixed_ip_address: 'r.ip_address' } as Record<string, string>;
          const key = keys[field ?? ''] ?? `r.${field}`;
          const plain = await db.pool.query(
            `${PLAIN} order by ${field === 'status' ? '2' : key} ${direction}, r.port_id ${direction}`,
            values,
          );
          const expected = plain.rows.map(({ port_id }) => port_id);
          expect([requested, found.rows.map(({ port_id }) => port_id)]).toEqual([requested, expected]);
          expect([requested, found.count]).toEqual([requested, expected.length]);
        }
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});

type Reserved = typeof reserved extends fc.Arbitrary<infer T> ? T : never;

async function add(n: number, row: Reserved): Promise<void> {
  await db.pool.query(
    `insert into ports (id, project_id, region_id, client_id, network_id, reserved, device_type, device_id,
                        created_at, updated_at)
     values ($1, $2, 2, 1, $3, true, case when $4 then 'load_balancer' end, case when $4 then $5::uuid end, now(), now())`,
    [id(n), row.project, id(7), row.used, id(n % 4)],
  );
  await db.pool.query(
    `insert into reserved_fixed_ips (port_id, project_id, region_id, client_id, network_id, subnet_id, space, ip_address,
                                     is_external, is_vip, name, created_at, updated_at, additional_address)
     values ($1, $2, 2, 1, $3, $3, $3, $4, $5, $6, 'name', now(), now(), $7)`,
    [id(n), row.project, id(7), row.address, row.external, row.vip, row.additional],
  );
  if (!row.shared) return;
  await db.pool.query(
    `insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, created_at, updated_at,
                        allowed_address_pairs)
     values ($1, 1, 2, 1, $2, 'instance', $1, now(), now(), jsonb_build_array(jsonb_build_object('ip_address', $3::text)))`,
    [id(100 + n), id(7), row.address],
  );
}
