import { expect, test } from 'vitest';
import { addInstance } from '../../../../test/harness/instances.ts';
import { faultsOf, NOWHERE, project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { joinServerGroup, leaveServerGroup, readServerGroupOf } from './index.ts';

/** Server groups through the API, in a region that is simulated and instant. */

const GROUPS = '/cloud/v1/servergroups/1/2';
const SCOPE = { projectId: 1, regionId: 2 };

const server = shared(startTestServer);

const { call } = project(() => server);
const read = async (id: string) => (await call('GET', `${GROUPS}/${id}`)).body;
const join = (groupId: string, instanceId: string) =>
  server.db.transaction((tx) =>
    joinServerGroup(tx, { ...SCOPE, groupId, instanceId, timestamp: server.clock.timestamp() }),
  );

async function group(body: object = {}): Promise<string> {
  const reply = await call('POST', GROUPS, { name: 'apart', policy: 'anti-affinity', ...body });
  expect(reply.status).toBe(200);
  return reply.body.servergroup_id;
}

const quota = async () => (await call('GET', '/cloud/v2/regional_quotas/1/2')).body.servergroup_count_usage;

test('a group is created, read, listed and deleted, and counts as long as it is there', async () => {
  const before = await quota();
  const [id, other] = [await group(), await group({ policy: 'soft-anti-affinity' })];
  expect(await read(id)).toEqual({
    servergroup_id: id,
    project_id: 1,
    region_id: 2,
    region: 'Simulated',
    name: 'apart',
    policy: 'anti-affinity',
    instances: [],
  });
  const { body } = await call('GET', `${GROUPS}?limit=1&offset=1`);
  expect(body).toEqual({ count: 2, results: [await read(id)] });
  expect(await quota()).toBe(before + 2);
  for (const each of [id, other]) {
    const task = await server.ended(await call('DELETE', `${GROUPS}/${each}`));
    expect(task).toMatchObject({ state: 'FINISHED', task_type: 'delete_servergroup' });
    expect((await call('GET', `${GROUPS}/${each}`)).status).toBe(404);
  }
  expect(await quota()).toBe(before);
});

test('an instance is in one group at most, which is there as long as it has members', async () => {
  const [id, other] = [await group(), await group()];
  const instance = await addInstance(server, crypto.randomUUID(), { name: 'web' });
  await join(id, instance);
  expect((await read(id)).instances).toEqual([{ instance_id: instance, instance_name: 'web' }]);
  await expect(join(other, instance)).rejects.toThrow(`in server group ${id} already`);
  expect(await readServerGroupOf(server.db, instance)).toEqual({
    id,
    name: 'apart',
    policy: 'anti-affinity',
  });
  const refused = await call('DELETE', `${GROUPS}/${id}`);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(instance) } });
  expect(await server.db.transaction((tx) => leaveServerGroup(tx, instance))).toBe(id);
  expect(await server.db.transaction((tx) => leaveServerGroup(tx, instance))).toBeUndefined();
  await join(other, instance);
  await server.db.run(sql`delete from instances where id = ${instance}`);
  expect((await read(other)).instances).toEqual([]);
  await expect(join(NOWHERE, instance)).rejects.toThrow('was not found');
});

test('faulty groups are refused with every field', async () => {
  const reply = await call('POST', GROUPS, { name: '-', policy: 'together' });
  expect(await faultsOf(reply)).toEqual(['name', 'policy']);
});
