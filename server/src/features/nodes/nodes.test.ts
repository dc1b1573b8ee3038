import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';

let server: TestServer;
const nodes = () => server.call('GET', '/virga/v1/nodes', { as: 'operator' });

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const insertSilent = (name: string, silent: string) =>
  server.db.rows(sql`insert into nodes (session, name, role, version, seen_at)
     values (gen_random_uuid(), ${name}, 'worker', '0.0.9', now() - ${silent}::interval)`);

test('a node that is at work is listed with its machine and process, role and version', async () => {
  const { status, body } = await nodes();
  expect(status).toBe(200);
  expect(body.results).toEqual([
    expect.objectContaining({
      name: `test:${process.pid}`,
      role: 'all',
      version: expect.any(String),
      alive: true,
    }),
  ]);
});

test('a node that fell silent is listed as such', async () => {
  await insertSilent('lost', '1 minute');
  const { body } = await nodes();
  expect(body.count).toBe(2);
  expect(body.results.find(({ name }: { name: string }) => name === 'lost')).toMatchObject({
    role: 'worker',
    version: '0.0.9',
    alive: false,
  });
});

test('a node is listed with the regions that it serves, and no longer with one that it has lost', async () => {
  const own = async () => {
    const { results } = (await nodes()).body;
    return results.find(({ name }: { name: string }) => name === `test:${process.pid}`).serves;
  };
  expect(await own()).toEqual([]);
  await server.db.run(sql`insert into region_owners (region_id, node, pid, holder, renewed_at)
     values (1, 'test', ${process.pid}, gen_random_uuid(), now() + interval '1 hour'),
            (2, 'test', ${process.pid}, gen_random_uuid(), now() - interval '1 minute')`);
  expect(await own()).toEqual(['Local']);
  await server.db.run(sql`delete from region_owners`);
});

test('a region without an owner is distinguished from one that is served', async () => {
  await server.db.run(sql`insert into region_owners (region_id, node, holder, renewed_at, fault) values
       (1, 'left', gen_random_uuid(), now() + interval '1 hour', 'no HAProxy'),
       (2, 'right', gen_random_uuid(), now() - interval '1 minute', null), (3, null, null, null, null)`);
  const { body } = await nodes();
  expect(body.regions).toEqual([
    expect.objectContaining({
      region_id: 1,
      region_name: 'Local',
      node: 'left',
      served: true,
      fault: 'no HAProxy',
    }),
    expect.objectContaining({ region_id: 2, node: 'right', served: false, fault: null }),
    expect.objectContaining({ region_id: 3, node: null, served: false, seen_at: null }),
  ]);
});

test('customers do not see the nodes', async () => {
  expect((await server.call('GET', '/virga/v1/nodes')).status).toBe(403);
});
