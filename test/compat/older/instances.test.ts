import { expect, test } from 'vitest';
import { sql } from '../../../server/src/platform/database/sql.ts';
import { startTestServer } from '../../harness/server.ts';
import { shared } from '../../harness/shared.ts';
import { OlderTool, scoped } from './tool.ts';

const server = shared(startTestServer);
const tool = new OlderTool(server);

const instances = scoped('instances');
const volumes = scoped('volumes');
const images = scoped('images');
const snapshots = scoped('snapshots');

async function created(name: string): Promise<string> {
  const [{ id: image }] = (await tool.does('GET', `${images}?limit=1`)).results;
  return tool.created(
    scoped('instances', 'v2'),
    {
      names: [name],
      flavor: 'g1-standard-1-2',
      volumes: [{ source: 'image', image_id: image, size: 20, boot_index: 0 }],
      interfaces: [{ type: 'external' }],
    },
    'instances',
  );
}

test('instance: single actions, each answered with the instance as it is then', async () => {
  const names = await tool.read(`${instances}/available_names`);
  expect(names).toMatchObject({ custom_name_allowed: true, name_templates_limited: false });
  const one = `${instances}/${await created('older')}`;
  for (const [action, status] of [
    ['stop', 'SHUTOFF'],
    ['start', 'ACTIVE'],
    ['suspend', 'SUSPENDED'],
    ['resume', 'ACTIVE'],
    ['reboot', 'ACTIVE'],
    ['powercycle', 'ACTIVE'],
  ]) {
    const now = await tool.does('POST', `${one}/${action}`);
    expect([action, now.status, now.task_state]).toEqual([action, status, null]);
    expect(await tool.read(one)).toEqual(now);
  }
  await tool.does('POST', `${one}/stop`);
  expect((await tool.does('POST', `${one}/start`, { activate_profile: false })).vm_state).toBe('active');
  expect((await tool.call('POST', `${one}/start`)).status).toBe(409);
  await tool.tags(one, (key) => `${one}/metadata/${key}`);
  await tool.tags(one, (key) => `${one.replace('/v1/', '/v2/')}/metadata_item?key=${key}`);
  await tool.deleted(one);
});

test('volume: attach and detach at once, tag', async () => {
  const instance = await created('older disks');
  const id = await tool.created(volumes, { source: 'new-volume', name: 'disk', size: 10 }, 'volumes');
  const one = `${volumes}/${id}`;
  const attached = await tool.does('POST', `${one}/attach`, { instance_id: instance });
  expect(attached).toMatchObject({ id, status: 'in-use', attachments: [{ server_id: instance }] });
  expect(await tool.read(one)).toEqual(attached);
  const detached = await tool.does('POST', `${one}/detach`, { instance_id: instance });
  expect(detached).toMatchObject({ id, status: 'available', attachments: [] });
  await tool.tags(one);

  const snapshot = await tool.created(snapshots, { name: 'kept', volume_id: id }, 'snapshots');
  const kept = await tool.does('PUT', `${snapshots}/${snapshot}/metadata`, { use: 'tool' });
  expect(kept).toMatchObject({ id: snapshot, tags: [{ key: 'use', value: 'tool', read_only: false }] });
  expect(await tool.does('PUT', `${snapshots}/${snapshot}/metadata`, {})).toMatchObject({ tags: [] });
  expect(await tool.read(`${snapshots}?schedule_id=nightly`)).toEqual({ count: 0, results: [] });
  await tool.deleted(`${snapshots}/${snapshot}`);
  await tool.deleted(one);
});

test('image from an address: name and address are kept, tagged and deleted', async () => {
  const body = {
    name: 'older image',
    url: 'https://images.virga.test/cirros-0.6.2-x86_64-disk.img',
    cow_format: true,
    os_distro: 'cirros',
    os_version: '0.6.2',
    hw_machine_type: 'q35',
    metadata: { use: 'tool' },
  };
  const download = scoped('downloadimage');
  const id = await tool.created(download, body, 'images');
  const one = `${images}/${id}`;
  expect(await tool.read(one)).toMatchObject({
    name: 'older image',
    os_distro: 'cirros',
    os_version: '0.6.2',
    os_type: 'linux',
    status: 'active',
    visibility: 'shared',
    size: 1024 ** 3,
    metadata: { use: 'tool' },
  });
  const [row] = await server.db.rows(sql`select source_url from images where id = ${id}`);
  expect(row).toEqual({ source_url: body.url });
  await tool.tags(one);
  const volume = await tool.created(
    volumes,
    { source: 'image', image_id: id, name: 'of it', size: 5 },
    'volumes',
  );
  expect((await tool.call('DELETE', one)).body.message).toContain(volume);
  await tool.deleted(`${volumes}/${volume}`);
  await tool.deleted(one);
  for (const url of [
    'ftp://images.virga.test/a',
    'not an address',
    'https://me:secret@images.virga.test/a',
  ]) {
    const refused = await tool.call('POST', download, { ...body, url });
    expect([refused.status, Object.keys(refused.body.invalid_fields)]).toEqual([400, ['url']]);
  }
});

test('ended tasks are acknowledged, these or all', async () => {
  const list = '/cloud/v1/tasks?is_acknowledged=false';
  const [first, ...others] = (await tool.does('GET', list)).results;
  await tool.does('POST', '/cloud/v1/tasks/acknowledge?project_id=1&region_id=2', { task_ids: [first.id] });
  expect((await tool.does('GET', list)).results).toHaveLength(others.length);
  const refused = await tool.call('POST', '/cloud/v1/tasks/acknowledge', { task_ids: ['x'] });
  expect(refused.body.invalid_fields).toHaveProperty(['task_ids.0']);
  await tool.does('POST', '/cloud/v1/tasks/acknowledge');
  expect((await tool.does('GET', list)).results).toEqual([]);
});
