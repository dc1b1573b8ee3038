import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE } from '../../../../test/harness/project.ts';
import { INSTANCES, instanceBody } from './testing/bodies.ts';
import { type InstanceFixture, startInstances } from './testing/fixture.ts';

/** Instances in security groups and server groups. */

let fixture: InstanceFixture;

beforeAll(async () => {
  fixture = await startInstances();
});

afterAll(() => fixture.server.close());

const call = (method: string, path: string, body?: unknown) => fixture.call(method, path, body);
const shown = async (id: string) => (await call('GET', `${INSTANCES}/${id}`)).body;

const securityGroup = (name: string) => fixture.make('security_groups', { name, rules: [] });

test('its ports have the security groups that are named, or the default one', async () => {
  const [web, db] = [await securityGroup('web'), await securityGroup('data')];
  const id = await fixture.instance({
    security_groups: [{ id: web }],
    interfaces: [{ type: 'external' }, { type: 'subnet', ...fixture.network, security_groups: [{ id: db }] }],
  });
  expect((await shown(id)).security_groups).toEqual([{ name: 'data' }, { name: 'web' }]);
  const list = async () => (await call('GET', `${INSTANCES}/${id}/securitygroups`)).body;
  expect(await list()).toEqual({
    count: 2,
    results: [
      { id: db, name: 'data' },
      { id: web, name: 'web' },
    ],
  });
  const ports = async () => (await call('GET', `${INSTANCES}/${id}/ports`)).body.results;
  expect(await ports()).toMatchObject([
    { security_groups: [{ id: web }] },
    { security_groups: [{ id: db }] },
  ]);
  const usual = await fixture.instance({ name: 'usual' });
  expect((await shown(usual)).security_groups).toEqual([{ name: 'default' }]);
  const without = await call('GET', `${INSTANCES}?exclude_secgroup=web`);
  expect(without.body.results.map((row: { id: string }) => row.id)).toEqual([usual]);

  const add = (body: object) => call('POST', `${INSTANCES}/${id}/addsecuritygroup`, body);
  const remove = (body: object) => call('POST', `${INSTANCES}/${id}/delsecuritygroup`, body);
  expect((await add({ name: 'web' })).status).toBe(204);
  expect((await add({ name: 'web' })).status).toBe(204);
  const [first, second] = await ports();
  expect(second.security_groups).toEqual([
    { id: db, name: 'data' },
    { id: web, name: 'web' },
  ]);
  const some = [{ port_id: first.id, security_group_names: ['web'] }];
  expect((await remove({ ports_security_group_names: some })).status).toBe(204);
  expect((await ports())[0].security_groups).toEqual([]);
  expect((await remove({ ports_security_group_names: [{ ...some[0], port_id: null }] })).status).toBe(204);
  expect(await list()).toMatchObject({ results: [{ id: db }] });

  await securityGroup('twin');
  await securityGroup('twin');
  for (const none of [[], [{ port_id: first.id, security_group_names: [] }]]) {
    expect((await remove({ ports_security_group_names: none })).status).toBe(204);
  }
  const faults = async (reply: ReturnType<typeof call>) =>
    Object.keys((await reply).body.invalid_fields ?? {}).sort();
  expect(await faults(add({}))).toEqual(['name']);
  expect(await faults(add({ name: 'twin' }))).toEqual(['name']);
  expect(await faults(remove({ name: 'web' }))).toEqual(['name']);
  const wrong = [{ port_id: NOWHERE, security_group_names: ['data', 'none'] }];
  expect(await faults(add({ name: 'nobody', ports_security_group_names: wrong }))).toEqual([
    'name',
    'ports_security_group_names.0.port_id',
    'ports_security_group_names.0.security_group_names.1',
  ]);
  expect(await list()).toMatchObject({ results: [{ id: db }] });
  const used = await call('DELETE', `/cloud/v1/securitygroups/1/2/${db}`);
  expect([used.status, used.headers['x-should-retry']]).toEqual([409, 'false']);
});

test('it is made in a server group, leaves it, and joins another', async () => {
  const group = async (name: string) =>
    (await call('POST', '/cloud/v1/servergroups/1/2', { name, policy: 'affinity' })).body.servergroup_id;
  const [one, two] = [await group('one'), await group('two')];
  const members = async (id: string) =>
    (await call('GET', `/cloud/v1/servergroups/1/2/${id}`)).body.instances.map(
      (row: { instance_id: string }) => row.instance_id,
    );
  const body = instanceBody(fixture.image, { servergroup_id: one });
  const id = await fixture.make('instances', body);
  expect(await members(one)).toEqual([id]);
  const put = (servergroup_id: string) =>
    call('POST', `${INSTANCES}/${id}/put_into_servergroup`, { servergroup_id });
  const leave = () => call('POST', `${INSTANCES}/${id}/remove_from_servergroup`);
  expect((await put(two)).status).toBe(409);
  expect(await fixture.finished(await leave())).toMatchObject({ task_type: 'remove_from_servergroup' });
  expect(await members(one)).toEqual([]);
  expect(await leave()).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect((await put(NOWHERE)).status).toBe(404);
  expect(await fixture.finished(await put(two))).toMatchObject({ task_type: 'put_into_servergroup' });
  expect(await members(two)).toEqual([id]);
  await fixture.finished(await call('DELETE', `${INSTANCES}/${id}`));
  expect(await members(two)).toEqual([]);
});
