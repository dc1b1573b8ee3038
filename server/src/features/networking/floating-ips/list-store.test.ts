import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestDb } from '../../../../../test/harness/db.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { listFloatingIps } from './list-store.ts';

/** Lists of floating IPs have what the rows say, whatever they are looked through by. */

// What they refer to is not asked here.
const db = shared(() =>
  startTestDb(`
    do $$ declare c record; begin
      for c in select conname, conrelid::regclass as of from pg_constraint
                where contype = 'f' and conrelid = 'floating_ips'::regclass
      loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop; end $$`),
);

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const tags = fc.dictionary(fc.constantFrom('team', 'cost'), fc.constantFrom('a', 'b'), { maxKeys: 2 });
const stored = (some: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.fromEntries(Object.entries(some).map(([key, value]) => [key, { value }])));
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

test('floating IPs: the page and the count are those of the rows', async () => {
  const ip = fc.record({ attached: fc.boolean(), tags });
  const requested = fc.record({
    status: maybe(fc.constantFrom('ACTIVE', 'DOWN', 'ERROR')),
    portIds: maybe(
      fc.subarray(
        [0, 1, 2].map((n) => id(100 + n)),
        { minLength: 1 },
      ),
    ),
    tagKeys: maybe(fc.subarray(['team', 'cost'], { minLength: 1 })),
    tags: maybe(tags),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(ip, { maxLength: 10, size: 'max' }),
      fc.array(requested, { minLength: 1, maxLength: 6 }),
      async (added, queries) => {
        // The last of ten loses its port once it is counted.
        const ips = added.map((one, n) => (n === 9 ? { ...one, attached: false } : one));
        await db.pool.query('delete from floating_ips');
        for (const [n, one] of added.entries())
          await db.pool.query(
            `insert into floating_ips (id, client_id, project_id, region_id, port_id, tags, created_at, updated_at)
             values ($1, 1, 1, 2, $2, $3, '2026-01-01', '2026-01-01')`,
            [id(n), one.attached ? id(100 + n) : null, stored(one.tags)],
          );
        await db.pool.query('update floating_ips set port_id = $1 where port_id = $2', [null, id(109)]);
        for (const { status, portIds, tagKeys, tags: pairs } of queries) {
          const expected = ips.flatMap((one, n) => {
            const isSame = status === undefined || status === (one.attached ? 'ACTIVE' : 'DOWN');
            const isThere = portIds === undefined || (one.attached && portIds.includes(id(100 + n)));
            return isSame && isThere && hasTags(one.tags, tagKeys, pairs) ? [id(n)] : [];
          });
          const where = {
            projectId: 1,
            regionId: 2,
            status,
            portIds,
            tagKeys,
            tags: pairs,
            limit: 100,
            offset: 0,
          };
          const found = await listFloatingIps(db, where);
          const ids = found.rows.map((row) => row.id);
          expect([where, found.count, ids]).toEqual([where, expected.length, expected.reverse()]);
        }
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});

function hasTags(
  own: Readonly<Record<string, string>>,
  keys: readonly string[] = [],
  pairs: Readonly<Record<string, string>> = {},
): boolean {
  return keys.every((key) => key in own) && Object.entries(pairs).every(([key, value]) => own[key] === value);
}
