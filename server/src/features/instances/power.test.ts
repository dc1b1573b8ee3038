import { afterAll, beforeAll, expect, test } from 'vitest';
import { changedNothing } from '../../../../test/harness/changed-nothing.ts';
import type { Reply } from '../../../../test/harness/server.ts';
import { INSTANCES, INSTANCES_V2 } from './testing/bodies.ts';
import { type InstanceFixture, startInstances, type Usage } from './testing/fixture.ts';

/** Starting, stopping and resizing instances, in a region that is simulated and instant. */

let fixture: InstanceFixture;

beforeAll(async () => {
  fixture = await startInstances();
});

afterAll(() => fixture.server.close());

const call = (method: string, path: string, body?: unknown) => fixture.call(method, path, body);
const get = (path: string) => call('GET', path);
const shown = async (id: string) => (await get(`${INSTANCES}/${id}`)).body;
const finished = (reply: Reply) => fixture.finished(reply);
const instance = (more?: object) => fixture.instance(more);
const usage = () => fixture.usage();
const used = (before: Usage) => fixture.used(before);

test('it is started, stopped, suspended, resumed and restarted, each from the states that allow it', async () => {
  const id = await instance();
  const act = (action: string) => call('POST', `${INSTANCES_V2}/${id}/action`, { action });
  const refused = async (...actions: string[]) => {
    for (const action of actions) {
      const { status, headers, body } = await act(action);
      expect([action, status, headers['x-should-retry']]).toEqual([action, 409, 'false']);
      expect(body.message).toContain((await shown(id)).status);
    }
  };
  await refused('start', 'resume');
  expect(await finished(await act('stop'))).toMatchObject({ task_type: 'stop_vm' });
  expect(await shown(id)).toMatchObject({ status: 'SHUTOFF', vm_state: 'stopped', task_id: null });
  await refused('stop', 'suspend', 'resume', 'reboot');
  await finished(await act('start'));
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE', vm_state: 'active' });
  await finished(await act('suspend'));
  expect(await shown(id)).toMatchObject({ status: 'SUSPENDED', vm_state: 'suspended' });
  await refused('start', 'stop', 'suspend', 'reboot');
  await finished(await act('resume'));
  await finished(await act('reboot'));
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE' });
  await finished(await act('stop'));
  expect(await finished(await act('reboot_hard'))).toMatchObject({ task_type: 'hard_reboot_vm' });
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE', task_state: null });
  await finished(await call('DELETE', `${INSTANCES}/${id}`));
  expect((await act('start')).status).toBe(404);
});

test('its size is changed, and quotas follow exactly', async () => {
  const id = await instance({ flavor: 'g1-standard-1-2' });
  const before = await usage();
  const resize = (flavor_id: string) => call('POST', `${INSTANCES}/${id}/changeflavor`, { flavor_id });
  await changedNothing(fixture.server, await resize('g1-standard-1-2'));
  expect((await resize('huge')).body.invalid_fields).toEqual({
    flavor_id: [expect.stringMatching(/^must be one of: g1-standard-1-2, /)],
  });
  expect(await finished(await resize('g1-gpu-12-120-1a100'))).toMatchObject({ task_type: 'resize_vm' });
  expect(await shown(id)).toMatchObject({ flavor: { flavor_id: 'g1-gpu-12-120-1a100', vcpus: 12 } });
  expect(await used(before)).toEqual({ cpu_count: 11, ram: 118 * 1024, gpu_virtual_a100_count: 1 });
  await finished(await resize('g1-memory-2-16'));
  expect(await used(before)).toEqual({ cpu_count: 1, ram: 14 * 1024 });
  await finished(await resize('g1-standard-1-2'));
  expect(await used(before)).toEqual({});
  await finished(await call('DELETE', `${INSTANCES}/${id}`));
});
