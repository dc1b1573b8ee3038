import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';

/** A simulated region proposes the same address to everybody at first. */

const LBS = '/cloud/v1/loadbalancers/1/2';
const POPULAR = '10.9.9.9';

let server: TestServer;
let idle: TestServer;

beforeAll(async () => {
  idle = await startTestServer({ worker: false });
  server = await startTestServer({
    aroundProvider: (provider) => ({
      ...provider,
      ...(provider.addresses && {
        addresses: {
          ...provider.addresses,
          allocateAddress: async (inUse, id, within) =>
            inUse.size === 0 ? POPULAR : (provider.addresses?.allocateAddress(inUse, id, within) ?? POPULAR),
        },
      }),
    }),
  });
});

afterAll(async () => {
  await server.close();
  await idle.close();
});

test('a simulated load balancer has its address before its task has begun', async () => {
  await idle.call('POST', LBS, { body: { name: 'web' } });
  const { results } = (await idle.call('GET', LBS)).body;
  expect(results).toMatchObject([
    { provisioning_status: 'PENDING_CREATE', vip_address: expect.stringMatching(/^10\./) },
  ]);
});

test('whoever comes second gets another address', async () => {
  const replies = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((number) =>
      server.call('POST', LBS, { body: { name: `load balancer ${number}` } }),
    ),
  );
  for (const reply of replies) await finished(server, reply);
  const { results } = (await server.call('GET', LBS)).body;
  const addresses = results.map((lb: { vip_address: string }) => lb.vip_address);
  expect(new Set(addresses).size).toBe(6);
  expect(addresses).toContain(POPULAR);

  const [first] = await server.db.rows<{ count: number }>(
    sql`select count(*)::int as count from region_addresses`,
  );
  expect(first?.count).toBe(6);
});
