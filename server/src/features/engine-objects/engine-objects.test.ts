import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';

const server = shared(() => startTestServer());
const ID = '0c8f7a52-3a51-4f0e-9d0c-8f3a3e1b2c4d';
const OTHER = '5d1d6c8e-52c5-4a43-8d5a-2f9ad9a51c11';

const objectsOf = (id: string, as?: 'operator') =>
  server.call('GET', `/virga/v1/engine_objects?resource_id=${id}`, as ? { as } : {});

test('operators see what the cloud of a region has for a resource, and of no other one', async () => {
  await server.db.run(sql`insert into engine_objects (region_id, kind, id, engine_id, facts) values
       (2, 'network', ${ID}, 'a1', '{}'), (2, 'router', ${OTHER}, 'b2', '{}')`);
  const { status, body } = await objectsOf(ID, 'operator');
  expect(status).toBe(200);
  const region_name = (await server.call('GET', '/cloud/v1/regions/2')).body.display_name;
  expect(body).toEqual({
    count: 1,
    results: [{ region_id: 2, region_name, kind: 'network', resource_id: ID, engine_id: 'a1' }],
  });
});

test('what lives in no cloud has no objects there', async () => {
  const { body } = await objectsOf('11111111-2222-4333-8444-555555555555', 'operator');
  expect(body).toEqual({ count: 0, results: [] });
});

test('customers do not see it, and a wrong id is named', async () => {
  expect((await objectsOf(ID)).status).toBe(403);
  expect(await objectsOf('network', 'operator')).toMatchObject({
    status: 400,
    body: { invalid_fields: { resource_id: expect.anything() } },
  });
});
