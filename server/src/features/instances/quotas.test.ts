import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';
import { anImage, INSTANCES, INSTANCES_V2, instanceBody } from './testing/bodies.ts';

/** Quotas in a region where every kind of task fails now and then. */

let server: TestServer;
let image: string;

beforeAll(async () => {
  const faults = { create_vm: 0.3, delete_vm: 0.3, resize_vm: 0.3, attach_vm_interface: 0.3 };
  const region = {
    id: 2,
    display_name: 'Shaky',
    slug: 'shaky',
    state: 'ACTIVE',
    provider: 'simulated',
  } as const;
  server = await startTestServer({ regions: [{ ...region, settings: { faults } }] });
  image = await anImage((path) => server.call('GET', path));
});

afterAll(() => server.close());

/** What there is, and what is counted. */
async function books() {
  const [row] = await server.db.rows<
    Record<string, number>
  >(sql`select (select count(*) from instances)::int as vm_count,
            (select coalesce(sum((flavor->>'vcpus')::int), 0) from instances)::int as cpu_count,
            (select coalesce(sum((flavor->>'ram')::int), 0) from instances)::int as ram,
            (select count(*) from volumes)::int as volume_count,
            (select coalesce(sum(size), 0) from volumes)::int as volume_size,
            (select count(*) from floating_ips)::int as floating_count,
            (select count(*) from ports p join networks n on n.id = p.network_id and n.external)::int
              as external_ip_count`);
  const { body } = await server.call('GET', '/cloud/v2/regional_quotas/1/2');
  const there = row ?? {};
  const counted = Object.fromEntries(Object.keys(there).map((name) => [name, body[`${name}_usage`]]));
  return { there, counted };
}

const name = fc.integer({ min: 1, max: 60 }).map((number) => `instance-${number}`);
const flavor = fc.constantFrom('g1-standard-1-2', 'g1-cpu-4-4', 'g1-memory-2-16');
const step = fc.oneof(
  fc.record({ what: fc.constant('create' as const), name, flavor, goes: fc.boolean() }),
  fc.record({ what: fc.constant('resize' as const), flavor, at: fc.nat() }),
  fc.record({ what: fc.constant('attach' as const), at: fc.nat() }),
  fc.record({ what: fc.constant('delete' as const), at: fc.nat() }),
);

test('whatever succeeds and whatever fails, what is counted is what is there', async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      for (const each of steps) {
        const { results } = (await server.call('GET', INSTANCES)).body;
        const one = 'at' in each ? `${INSTANCES}/${results[each.at % Math.max(1, results.length)]?.id}` : '';
        if ('at' in each && results.length === 0) continue;
        const reply =
          each.what === 'create'
            ? await server.call('POST', INSTANCES_V2, {
                body: instanceBody(image, {
                  name: each.name,
                  flavor: each.flavor,
                  volumes: [{ source: 'image', image_id: image, size: 10, delete_on_termination: each.goes }],
                }),
              })
            : each.what === 'resize'
              ? await server.call('POST', `${one}/changeflavor`, { body: { flavor_id: each.flavor } })
              : each.what === 'attach'
                ? await server.call('POST', `${one}/attach_interface`, { body: {} })
                : await server.call('DELETE', one);
        expect(reply.status).toBe(200);
        if (reply.body.tasks.length > 0) outcomes.add(`${each.what} ${(await server.ended(reply)).state}`);
        const { there, counted } = await books();
        expect(counted).toEqual(there);
      }
    }),
    { numRuns: 8, seed: 20_261_121 },
  );
  expect(outcomes).toContain('create ERROR');
  expect(outcomes).toContain('create FINISHED');
  expect(outcomes).toContain('delete FINISHED');
});
