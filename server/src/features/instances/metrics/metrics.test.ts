import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE } from '../../../../../test/harness/project.ts';
import { sql } from '../../../platform/database/sql.ts';
import { INSTANCES } from '../testing/bodies.ts';
import { type InstanceFixture, startInstances } from '../testing/fixture.ts';

let fixture: InstanceFixture;
let id: string;

beforeAll(async () => {
  fixture = await startInstances();
  id = await fixture.instance();
});

afterAll(() => fixture.server.close());

const read = (body: object, query = '', of = id) =>
  fixture.call('POST', `${INSTANCES}/${of}/metrics${query}`, body);

test('an instance that runs nothing uses nothing, from when it was made', async () => {
  expect((await read({ time_interval: 1, time_unit: 'hour' })).body.count).toBeLessThanOrEqual(1);
  await fixture.server.db.run(
    sql`update instances set created_at = created_at - interval '30 minutes' where id = ${id}`,
  );
  const { body } = await read({ time_interval: 1, time_unit: 'hour' });
  expect(body.count).toBeGreaterThanOrEqual(29);
  expect(body.count).toBeLessThanOrEqual(31);
  const zero = { disk_Bps_read: 0, disk_Bps_write: 0, disk_iops_read: 0, disk_iops_write: 0 };
  expect(body.results[0]).toMatchObject({
    cpu_util: 0,
    memory_util: 0,
    network_Bps_egress: 0,
    network_pps_ingress: 0,
    disks: [{ disk_name: '/dev/vda', ...zero }],
    time: expect.stringMatching(/:00Z$/),
  });
  const times = body.results.map(({ time }: { time: string }) => time);
  expect(times).toEqual([...times].sort());
  const paged = await read({ time_interval: 1, time_unit: 'hour' }, '?limit=2&offset=1');
  expect(paged.body.results).toHaveLength(2);
});

test('a faulty window is refused, and what is not there is not found', async () => {
  const { body } = await read({ time_interval: 0, time_unit: 'day' });
  expect(body.invalid_fields).toHaveProperty('time_interval');
  expect((await read({ time_interval: 1, time_unit: 'week' })).status).toBe(400);
  expect((await read({ time_interval: 1, time_unit: 'day' }, '', NOWHERE)).status).toBe(404);
});
