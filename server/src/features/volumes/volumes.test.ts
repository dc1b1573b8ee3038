import { afterAll, beforeAll, expect, test } from 'vitest';
import { addInstance } from '../../../../test/harness/instances.ts';
import { faultsOf, NOWHERE, project } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { INSTANCES, INSTANCES_V2, instanceBody } from '../instances/testing/bodies.ts';

/** Volumes through the API, in a region that is simulated and instant. */

const VOLUMES = '/cloud/v1/volumes/1/2';
const empty = { source: 'new-volume', name: 'disk', size: 10 };

let server: TestServer;
let image: { id: string; name: string; min_disk: number };

beforeAll(async () => {
  server = await startTestServer();
  const { body } = await server.call('GET', '/cloud/v1/images/1/2?os_distro=rockylinux&os_version=9');
  image = body.results[0];
});

afterAll(() => server.close());

const { call, finished, usage } = project(() => server);
const post = (path: string, body: object) => call('POST', path, body);
const read = async (id: string) => (await call('GET', `${VOLUMES}/${id}`)).body;
const v2 = (id: string, action: string) => `${VOLUMES.replace('/v1/', '/v2/')}/${id}/${action}`;

async function volume(body: object = {}): Promise<string> {
  const task = await finished(await post(VOLUMES, { ...empty, ...body }), 'create_volume');
  expect(task.created_resources?.volumes).toHaveLength(1);
  return String(task.created_resources?.volumes?.[0]);
}

const quota = () => usage('volume_count', 'volume_size');

async function listed(query: string): Promise<string[]> {
  const { status, body } = await call('GET', `${VOLUMES}?${query}`);
  expect(status).toBe(200);
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ id }: { id: string }) => id);
}

test('a volume is created, read, renamed, tagged and deleted, and counts as long as it is there', async () => {
  const before = await quota();
  const id = await volume({ tags: { a: '1' }, metadata: { old: 'client' }, type_name: 'ssd_hiiops' });
  expect(await read(id)).toMatchObject({
    name: 'disk',
    size: 10,
    volume_type: 'ssd_hiiops',
    status: 'available',
    bootable: false,
    is_root_volume: false,
    attachments: [],
    volume_image_metadata: null,
    limiter_stats: { iops_base_limit: 9000, MBps_base_limit: 500 },
    metadata: { a: '1', old: 'client' },
    metadata_detailed: [
      { key: 'a', value: '1', read_only: false },
      { key: 'old', value: 'client', read_only: false },
    ],
    task_id: null,
    project_id: 1,
    region_id: 2,
  });
  expect(await quota()).toEqual([before[0] + 1, before[1] + 10]);
  const changed = await call('PATCH', `${VOLUMES}/${id}`, { name: 'renamed', tags: { a: null, b: '2' } });
  expect(changed).toMatchObject({
    status: 200,
    body: { name: 'renamed', metadata: { b: '2', old: 'client' } },
  });
  expect(await read(id)).toEqual(changed.body);
  await finished(await call('DELETE', `${VOLUMES}/${id}`), 'delete_volume');
  expect((await call('GET', `${VOLUMES}/${id}`)).status).toBe(404);
  expect(await quota()).toEqual(before);
});

test('a volume for which older clients name no instance by an empty text belongs to none', async () => {
  const id = await volume({ instance_id_to_attach_to: '', attachment_tag: '' });
  expect(await read(id)).toMatchObject({ status: 'available', attachments: [] });
  await finished(await call('DELETE', `${VOLUMES}/${id}`), 'delete_volume');
});

test('a volume from an image is bootable, says which image, and holds at least what that needs', async () => {
  const body = { source: 'image', image_id: image.id, size: image.min_disk };
  expect(await read(await volume(body))).toMatchObject({
    bootable: true,
    size: image.min_disk,
    volume_image_metadata: { image_id: image.id, image_name: image.name, os_distro: 'rockylinux' },
  });
  const small = await post(VOLUMES, { ...empty, ...body, size: image.min_disk - 1 });
  expect(small).toMatchObject({ status: 400, body: { invalid_fields: { size: [expect.any(String)] } } });
});

test('everything that is wrong with a new volume is named at once, and nothing is made or counted', async () => {
  const before = await quota();
  const reply = await post(VOLUMES, {
    ...empty,
    source: 'image',
    image_id: NOWHERE,
    size: 2_000_000,
    tags: { 'a b': 'x' },
    lifecycle_policy_ids: [7],
    instance_id_to_attach_to: 'nobody',
  });
  expect(await faultsOf(reply)).toEqual([
    'image_id',
    'instance_id_to_attach_to',
    'lifecycle_policy_ids',
    'size',
    'tags.a b',
  ]);
  const unknown = { source: 'snapshot', snapshot_id: NOWHERE, name: 'disk', attachment_tag: 'x' };
  expect((await post(VOLUMES, unknown)).body.invalid_fields).toEqual({
    snapshot_id: [`snapshot ${NOWHERE} was not found`],
    attachment_tag: ['needs instance_id_to_attach_to'],
  });
  expect(await quota()).toEqual(before);
  expect((await post(VOLUMES, { ...empty, instance_id_to_attach_to: NOWHERE })).status).toBe(404);
});

test('a volume is attached, found by its instance, kept from deletion, detached, and attached anew', async () => {
  const instance = await addInstance(server, crypto.randomUUID(), { name: 'web' });
  const [id, other] = [await volume(), await volume({ instance_id_to_attach_to: instance })];
  expect(await read(other)).toMatchObject({
    status: 'in-use',
    attachments: [{ server_id: instance, device: '/dev/vda' }],
  });
  await finished(await post(v2(id, 'attach'), { instance_id: instance }), 'attach_volume');
  expect(await read(id)).toMatchObject({
    status: 'in-use',
    attachments: [
      {
        server_id: instance,
        volume_id: id,
        instance_name: 'web',
        flavor_id: 'g1-standard-1-2',
        device: '/dev/vdb',
        attached_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
      },
    ],
  });
  expect((await listed(`instance_id=${instance}`)).sort()).toEqual([id, other].sort());
  expect(await call('DELETE', `${VOLUMES}/${id}`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(instance) },
    headers: { 'x-should-retry': 'false' },
  });
  expect((await post(v2(id, 'detach'), { instance_id: NOWHERE })).status).toBe(409);
  expect((await post(v2(id, 'attach'), { instance_id: instance })).status).toBe(409);
  await finished(await post(v2(other, 'detach'), { instance_id: instance }), 'detach_volume');
  expect(await read(other)).toMatchObject({ status: 'available', attachments: [] });
  await finished(await post(v2(other, 'attach'), { instance_id: instance }), 'attach_volume');
  expect((await read(other)).attachments[0].device).toBe('/dev/vda');
});

test('an instance that is not fit for it accepts no volume', async () => {
  const id = await volume();
  expect((await post(v2(id, 'attach'), { instance_id: NOWHERE })).status).toBe(404);
  const building = await addInstance(server, crypto.randomUUID(), { status: 'BUILD' });
  const refused = await post(v2(id, 'attach'), { instance_id: building });
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('BUILD') } });
  expect(await read(id)).toMatchObject({ status: 'available', attachments: [], task_id: null });
});

test('a volume grows, attached or not, never shrinks, and counts what it has grown by', async () => {
  const id = await volume();
  const before = await quota();
  await finished(await post(`${VOLUMES}/${id}/extend`, { size: 30 }), 'extend_volume');
  expect(await read(id)).toMatchObject({ size: 30, status: 'available' });
  expect(await quota()).toEqual([before[0], before[1] + 20]);
  for (const size of [30, 29, 2_000_000]) {
    const reply = await post(`${VOLUMES}/${id}/extend`, { size });
    expect(reply).toMatchObject({ status: 400, body: { invalid_fields: { size: [expect.any(String)] } } });
  }
  expect(await quota()).toEqual([before[0], before[1] + 20]);
});

test('a volume that changes its type has the new one when the call answers', async () => {
  const id = await volume();
  const reply = await post(`${VOLUMES}/${id}/retype`, { volume_type: 'ssd_hiiops' });
  expect(reply).toMatchObject({ status: 200, body: { volume_type: 'ssd_hiiops', status: 'available' } });
  expect((await post(`${VOLUMES}/${id}/retype`, { volume_type: 'ssd_hiiops' })).status).toBe(200);
  expect(await read(id)).toEqual({ ...reply.body, updated_at: expect.any(String) });
});

const SNAPSHOTS = '/cloud/v1/snapshots/1/2';

async function snapshot(volume_id: string, body: object = {}): Promise<string> {
  const reply = await post(SNAPSHOTS, { name: 'kept', volume_id, ...body });
  const task = await finished(reply, 'create_snapshot');
  return String(task.created_resources?.snapshots?.[0]);
}

const snapshotQuota = () => usage('volume_snapshots_count', 'volume_snapshots_size');

test('a snapshot is created, read, renamed, listed and deleted, and counts as long as it is there', async () => {
  const before = await snapshotQuota();
  const source = await volume();
  const id = await snapshot(source, { description: 'before', tags: { a: '1' } });
  const { body } = await call('GET', `${SNAPSHOTS}/${id}`);
  expect(body).toMatchObject({
    name: 'kept',
    description: 'before',
    volume_id: source,
    size: 10,
    status: 'available',
    metadata: { a: '1' },
    task_id: null,
  });
  expect(await read(source)).toMatchObject({ snapshot_ids: [id], status: 'available', task_id: null });
  expect(await snapshotQuota()).toEqual([before[0] + 1, before[1] + 10]);
  const changed = await call('PATCH', `${SNAPSHOTS}/${id}`, { name: 'renamed', tags: null });
  expect(changed).toMatchObject({ status: 200, body: { name: 'renamed', metadata: {} } });
  const of = async (query: string) => (await call('GET', `${SNAPSHOTS}?${query}`)).body;
  expect(await of(`volume_id=${source}`)).toEqual({ count: 1, results: [changed.body] });
  expect(await of(`volume_id=${NOWHERE}`)).toEqual({ count: 0, results: [] });
  expect(await of(`instance_id=${NOWHERE}`)).toEqual({ count: 0, results: [] });
  await finished(await call('DELETE', `${SNAPSHOTS}/${id}`), 'delete_snapshot');
  expect((await call('GET', `${SNAPSHOTS}/${id}`)).status).toBe(404);
  expect(await snapshotQuota()).toEqual(before);
});

test('a volume from a snapshot is what its volume was, and at least as large', async () => {
  const source = await volume({
    source: 'image',
    image_id: image.id,
    size: image.min_disk + 2,
    type_name: 'ssd_hiiops',
  });
  const body = { source: 'snapshot', snapshot_id: (await snapshot(source)).toUpperCase(), size: undefined };
  expect(await read(await volume(body))).toMatchObject({
    bootable: true,
    size: image.min_disk + 2,
    volume_type: 'ssd_hiiops',
    volume_image_metadata: { image_name: image.name },
  });
  const small = await post(VOLUMES, { ...empty, ...body, size: image.min_disk });
  expect(small).toMatchObject({ status: 400, body: { invalid_fields: { size: [expect.any(String)] } } });
});

test('a volume goes with the snapshots that are named, and not before the others', async () => {
  const before = [...(await quota()), ...(await snapshotQuota())];
  const id = await volume();
  const [one, two] = [await snapshot(id), await snapshot(id)];
  const refused = await call('DELETE', `${VOLUMES}/${id}?snapshots=${one}`);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(two) } });
  const foreign = await call('DELETE', `${VOLUMES}/${id}?snapshots=${one},${two},${NOWHERE}`);
  expect(foreign).toMatchObject({
    status: 400,
    body: { invalid_fields: { snapshots: [expect.any(String)] } },
  });
  await finished(await call('DELETE', `${VOLUMES}/${id}?snapshots=${one},%20${two}`), 'delete_volume');
  expect((await call('GET', `${SNAPSHOTS}/${one}`)).status).toBe(404);
  expect([...(await quota()), ...(await snapshotQuota())]).toEqual(before);
});

test('a volume is reverted to its last snapshot, if it has one of its size and no instance has it', async () => {
  const id = await volume();
  const revert = () => call('POST', `${VOLUMES}/${id}/revert`);
  expect(await revert()).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  await snapshot(id);
  expect(await revert()).toMatchObject({ status: 200, body: '' });
  expect(await read(id)).toMatchObject({ status: 'available', task_id: null });
  const { body } = await call('GET', '/cloud/v1/tasks?limit=1&task_type=revert_volume');
  expect(body.results).toMatchObject([{ state: 'FINISHED' }]);
  await finished(await post(`${VOLUMES}/${id}/extend`, { size: 11 }), 'extend_volume');
  expect(await revert()).toMatchObject({ status: 409, body: { message: expect.stringContaining('grown') } });
  expect((await call('POST', `${VOLUMES}/${NOWHERE}/revert`)).status).toBe(404);
});

test('the quota is exact however many ask at once', async () => {
  const [count, size] = await quota();
  const limits = { region_id: 2, volume_count_limit: count + 3, volume_size_limit: size + 1000 };
  const setLimits = (regional: object) =>
    server.call('PATCH', '/virga/v1/clients/1/quotas', {
      as: 'operator',
      body: { regional_limits: [regional] },
    });
  expect((await setLimits(limits)).status).toBe(200);
  const replies = await Promise.all(Array.from({ length: 10 }, () => post(VOLUMES, empty)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(7).fill(403)]);
  expect(replies.find(({ status }) => status === 403)?.body).toMatchObject({
    exception_class: 'QuotaLimitExceed',
  });
  expect(await quota()).toEqual([count + 3, size + 30]);
  await Promise.all(replies.filter(({ status }) => status === 200).map((reply) => server.ended(reply)));
  await setLimits({ ...limits, volume_count_limit: 5000 });
  const id = await volume({ size: 900 });
  const refused = await post(`${VOLUMES}/${id}/extend`, { size: 1000 });
  expect(refused).toMatchObject({ status: 403, body: { info: { attribute: 'volume_size' } } });
  expect(await read(id)).toMatchObject({ size: 900, status: 'available', task_id: null });
  await setLimits({ ...limits, volume_count_limit: 5000, volume_size_limit: 1_000_000 });
});

test('lists are filtered by every filter, and what they count is exact', async () => {
  const instance = await addInstance(server, crypto.randomUUID());
  const tags = { team: 'storage' };
  const plain = await volume({ name: 'List_1 plain', tags });
  const system = await volume({ name: 'List 1 system', tags, source: 'image', image_id: image.id });
  const used = await volume({
    name: 'List used',
    tags: { ...tags, of: 'web' },
    instance_id_to_attach_to: instance,
  });
  const mine = 'tag_key=team';
  expect(await listed(mine)).toEqual([used, system, plain]);
  expect(await listed(`${mine}&bootable=true`)).toEqual([system]);
  expect(await listed(`${mine}&bootable=false`)).toEqual([used, plain]);
  expect(await listed(`${mine}&has_attachments=true`)).toEqual([used]);
  expect(await listed(`${mine}&has_attachments=false`)).toEqual([system, plain]);
  expect(await listed(`instance_id=${instance}`)).toEqual([used]);
  expect(await listed('name_part=t_1')).toEqual([plain]);
  expect(await listed('name_part=list%20')).toEqual([used, system]);
  expect(await listed('name_part=%25')).toEqual([]);
  expect(await listed(`id_part=${plain.slice(4, 23).toUpperCase()}`)).toEqual([plain]);
  expect(await listed(`tag_key_value=${encodeURIComponent(JSON.stringify({ of: 'web' }))}`)).toEqual([used]);
  expect(await listed(`cluster_id=${NOWHERE}`)).toEqual([]);
  expect(await listed('cluster_id=none')).toEqual([]);
  const { body: page } = await call('GET', `${VOLUMES}?${mine}&limit=1&offset=1`);
  expect([page.count, page.results.map(({ id }: { id: string }) => id)]).toEqual([3, [system]]);
  const { body: all } = await call('GET', `${VOLUMES}?limit=1`);
  const { body: unpaged } = await call('GET', VOLUMES);
  expect(all.count).toBe(unpaged.results.length);
});

test('the volume that an instance boots from stays with it, and others go only without snapshots', async () => {
  const before = await quota();
  const body = instanceBody(image.id, {
    volumes: [
      { source: 'new-volume', size: 3, delete_on_termination: true },
      { source: 'image', image_id: image.id, size: image.min_disk, delete_on_termination: true },
    ],
  });
  const task = await finished(await post(INSTANCES_V2, body), 'create_vm');
  const [instance] = task.created_resources?.instances ?? [];
  const volumes = await listed(`instance_id=${instance}`);
  const shown = await Promise.all(volumes.map(read));
  const root = shown.find((one) => one.is_root_volume);
  const data = shown.find((one) => !one.is_root_volume);
  expect(root).toMatchObject({ bootable: true, status: 'in-use', attachments: [{ device: '/dev/vda' }] });
  expect(data).toMatchObject({ size: 3, status: 'in-use', attachments: [{ device: '/dev/vdb' }] });
  expect((await post(v2(root.id, 'detach'), { instance_id: instance })).status).toBe(409);
  const kept = await snapshot(data.id);
  const refused = await call('DELETE', `${INSTANCES}/${instance}`);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(kept) } });
  expect(await read(root.id)).toMatchObject({ status: 'in-use', task_id: null });
  await finished(await post(v2(data.id, 'detach'), { instance_id: instance }), 'detach_volume');
  await finished(await call('DELETE', `${INSTANCES}/${instance}`), 'delete_vm');
  expect((await call('GET', `${VOLUMES}/${root.id}`)).status).toBe(404);
  await finished(await call('DELETE', `${VOLUMES}/${data.id}?snapshots=${kept}`), 'delete_volume');
  expect(await quota()).toEqual(before);
});
