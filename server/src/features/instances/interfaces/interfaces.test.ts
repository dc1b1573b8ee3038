import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_INTERFACES } from '../schema-create.ts';
import { INSTANCES, INSTANCES_V2, instanceBody } from '../testing/bodies.ts';
import { type InstanceFixture, startInstances } from '../testing/fixture.ts';

let fixture: InstanceFixture;

beforeAll(async () => {
  fixture = await startInstances();
});

afterAll(() => fixture.server.close());

test('an instance has so many interfaces, however they came to it', async () => {
  const { call, finished, image, instance, network } = fixture;
  const interfaces = Array(MAX_INTERFACES + 1).fill({ type: 'subnet', ...network });
  const many = await call('POST', INSTANCES_V2, instanceBody(image, { interfaces }));
  expect(many.body.invalid_fields).toEqual({ interfaces: ['must have at most 32 items'] });
  const id = await instance({ interfaces: interfaces.slice(2) });
  const attach = () => call('POST', `${INSTANCES}/${id}/attach_interface`, { type: 'subnet', ...network });
  await finished(await attach());
  const refused = await attach();
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain(`There are 32 interfaces, which is the most for instance ${id}`);
});
