import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE } from '../../../../../test/harness/project.ts';
import { sql } from '../../../platform/database/sql.ts';
import { INSTANCES, INSTANCES_V2, instanceBody } from '../testing/bodies.ts';
import { type InstanceFixture, startInstances } from '../testing/fixture.ts';

let fixture: InstanceFixture;

beforeAll(async () => {
  fixture = await startInstances();
});

afterAll(() => fixture.server.close());

const call = (method: string, path: string, body?: unknown) => fixture.call(method, path, body);
const idsOf = ({ body }: Awaited<ReturnType<typeof call>>): string[] =>
  body.results.map((row: { flavor_id: string }) => row.flavor_id);

/** An image that needs more memory than the smallest flavor has. */
async function greedyImage(): Promise<string> {
  const [row] = await fixture.server.db.rows<{ id: string }>(
    sql`update images set min_ram = 4096 where name = 'rockylinux-10-x64' and region_id = 2 returning id`,
  );
  return String(row?.id);
}

test('flavors that suffice are offered, and others are refused', async () => {
  const greedy = await greedyImage();
  const offered = (volumes: object[], query = '') =>
    call('POST', `${INSTANCES}/available_flavors${query}`, { volumes });
  const all = idsOf(await offered([{ source: 'new-volume', size: 5 }]));
  expect(all).toContain('g1-standard-1-2');
  const some = idsOf(await offered([{ source: 'image', image_id: greedy }]));
  expect(some).not.toContain('g1-standard-1-2');
  expect(some).toEqual(all.filter((id) => !id.endsWith('-standard-1-2')));
  const { body } = await offered([{ source: 'image', image_id: fixture.image }], '?include_prices=true');
  expect(body.results[0]).toMatchObject({ price_status: 'hide', price_per_hour: null, disabled: false });
  const wrong = await offered([
    { source: 'image', image_id: NOWHERE },
    { source: 'existing-volume' },
    { source: 'snapshot', snapshot_id: 'x' },
  ]);
  expect(Object.keys(wrong.body.invalid_fields)).toEqual([
    'volumes.0.image_id',
    'volumes.1.volume_id',
    'volumes.2.snapshot_id',
  ]);

  const volumes = [{ source: 'image', image_id: greedy, size: 20 }];
  const id = await fixture.instance({ flavor: 'g1-standard-2-4', volumes });
  const own = idsOf(await call('GET', `${INSTANCES}/${id}/available_flavors`));
  expect(own).toEqual(some.filter((flavor) => flavor !== 'g1-standard-2-4'));
  const small = await call('POST', `${INSTANCES}/${id}/changeflavor`, { flavor_id: 'g1-standard-1-2' });
  expect(small.body.invalid_fields.flavor_id[0]).toContain('4096 MiB');
  expect((await call('GET', `${INSTANCES}/${NOWHERE}/available_flavors`)).status).toBe(404);
});

test('what check_limits says is what a creation meets', async () => {
  const before = await fixture.usage();
  const body = {
    flavor: 'g1-standard-2-4',
    volumes: [
      { source: 'image', size: 10 },
      { source: 'new-volume', size: 5 },
    ],
    interfaces: [
      { type: 'external' },
      { type: 'subnet', ...fixture.network, floating_ip: { source: 'new' } },
    ],
  };
  const check = async (more: object = {}) =>
    (await call('POST', `${INSTANCES_V2}/check_limits`, { ...body, ...more })).body;
  expect(await check()).toEqual({});
  const limits = {
    vm_count_limit: (before.vm_count ?? 0) + 1,
    cpu_count_limit: (before.cpu_count ?? 0) + 2,
    ram_limit: (before.ram ?? 0) + 4096,
    volume_count_limit: (before.volume_count ?? 0) + 2,
    volume_size_limit: (before.volume_size ?? 0) + 15,
    external_ip_count_limit: (before.external_ip_count ?? 0) + 1,
    floating_count_limit: (before.floating_count ?? 0) + 1,
  };
  await fixture.limit(limits);
  expect(await check({ names: ['one'] })).toEqual({});
  expect(await check({ names: ['one'], name_templates: ['{ip_octets}'] })).toMatchObject({
    vm_count_requested: 2,
    vm_count_limit: limits.vm_count_limit,
    vm_count_usage: before.vm_count,
    cpu_count_requested: 4,
    ram_requested: 8192,
    volume_count_requested: 4,
    volume_size_requested: 30,
    external_ip_count_requested: 2,
    floating_count_requested: 2,
  });
  expect((await call('POST', `${INSTANCES_V2}/check_limits`, { flavor: 'huge' })).status).toBe(400);
  const volumes = [{ source: 'image', image_id: fixture.image, size: 10 }, body.volumes[1]];
  await fixture.make('instances', instanceBody(fixture.image, { ...body, volumes }));
  expect((await call('POST', INSTANCES_V2, instanceBody(fixture.image))).status).toBe(403);
});
