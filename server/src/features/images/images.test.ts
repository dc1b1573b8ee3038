import { expect, test } from 'vitest';
import { faultsOf, NOWHERE, project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** Images through the API, in a region that is simulated and instant. */

const IMAGES = '/cloud/v1/images/1/2';

const server = shared(startTestServer);

const { call, finished, make, usage } = project(() => server);
const names = async (query: string) => {
  const { body } = await call('GET', `${IMAGES}?${query}`);
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ name }: { name: string }) => name);
};

test('every project finds the images of the region, in their order, and no one without a distribution', async () => {
  const { body } = await call('GET', IMAGES);
  expect(body.count).toBeGreaterThan(5);
  const orders = body.results.map((image: { display_order: number }) => image.display_order);
  expect(orders).toEqual([...orders].sort((a, b) => a - b));
  for (const image of body.results) {
    expect(image).toMatchObject({
      visibility: 'public',
      status: 'active',
      price_per_hour: null,
      region_id: 2,
    });
    expect(image.min_disk).toBeGreaterThan(0);
    expect((await call('GET', `${IMAGES}/${image.id}`)).body).toEqual(image);
  }
  const other = await server.call('GET', '/cloud/v1/images/2/2', { as: 'other client' });
  expect(other.body.results.map(({ id }: { id: string }) => id)).toEqual(
    body.results.map(({ id }: { id: string }) => id),
  );
  expect((await call('GET', `${IMAGES}/${NOWHERE}`)).status).toBe(404);
  const elsewhere = await call('GET', `/cloud/v1/images/1/1/${body.results[0].id}`);
  expect(elsewhere.status).toBe(404);
});

test('images for Windows need no SSH key', async () => {
  const windows = (await call('GET', `${IMAGES}?name=windows-server-2022`)).body.results;
  expect(windows).toMatchObject([{ os_type: 'windows', ssh_key: 'allow' }]);
});

test('lists are filtered by every filter', async () => {
  expect(await names('os_distro=ubuntu')).toEqual([
    'ubuntu-24.04-x64',
    'ubuntu-22.04-x64',
    'ubuntu-20.04-x64',
  ]);
  expect(await names('os_distro=ubuntu&os_version=22.04')).toEqual(['ubuntu-22.04-x64']);
  expect(await names('name=debian-12-x64')).toEqual(['debian-12-x64']);
  expect(await names('architecture=aarch64')).toEqual([]);
  expect(await names('visibility=shared')).toEqual([]);
  expect(await names('visibility=private')).toEqual([]);
  expect(await names('private=true')).toEqual([]);
  expect(await names('tag_key=mine')).toEqual([]);
  expect((await names('visibility=public')).length).toBeGreaterThan(5);
});

const VOLUMES = '/cloud/v1/volumes/1/2';

const volume = (body: object = {}) =>
  make('volumes', { source: 'new-volume', name: 'disk', size: 12, ...body });

const imageOf = (volume_id: string, body: object = {}) =>
  make('images', { name: 'copy', volume_id, ...body });

const quota = () => usage('image_count', 'image_size');

test('an image of a volume is made, read, changed, used and deleted, and counts as long as it is there', async () => {
  const before = await quota();
  const source = await volume();
  const id = await imageOf(source, { ssh_key: 'deny', hw_firmware_type: 'bios', tags: { golden: 'yes' } });
  expect((await call('GET', `${IMAGES}/${id}`)).body).toMatchObject({
    name: 'copy',
    status: 'active',
    visibility: 'shared',
    project_id: 1,
    min_disk: 12,
    size: 12 * 1024 ** 3,
    ssh_key: 'deny',
    hw_firmware_type: 'bios',
    hw_machine_type: null,
    os_type: 'linux',
    tags: [{ key: 'golden', value: 'yes', read_only: false }],
    tags_v2: [{ key: 'golden', value: 'yes', read_only: false }],
    task_id: null,
  });
  expect((await call('GET', `${VOLUMES}/${source}`)).body).toMatchObject({
    status: 'available',
    task_id: null,
  });
  expect(await quota()).toEqual([before[0] + 1, before[1] + 12]);
  expect(await names('private=1&tag_key=golden')).toEqual(['copy']);
  expect(await names('visibility=shared')).toEqual(['copy']);
  const own = (await call('GET', '/cloud/v1/projectimages/1/2')).body;
  expect(own.results.map(({ name }: { name: string }) => name)).toEqual(['copy']);
  expect(await names('visibility=private')).toEqual([]);
  const changed = await call('PATCH', `${IMAGES}/${id}`, { name: 'renamed', is_baremetal: null, tags: null });
  expect(changed).toMatchObject({ status: 200, body: { name: 'renamed', is_baremetal: false, tags_v2: [] } });
  expect((await call('GET', `${IMAGES}/${id}`)).body).toEqual(changed.body);
  const made = await volume({ source: 'image', image_id: id });
  expect((await call('GET', `${VOLUMES}/${made}`)).body.volume_image_metadata.image_name).toBe('renamed');
  await finished(await call('DELETE', `${IMAGES}/${id}`), 'delete_image');
  expect((await call('GET', `${IMAGES}/${id}`)).status).toBe(404);
  expect(await quota()).toEqual(before);
});

test('an image of a volume that came from an image needs the memory that that one needed', async () => {
  const { body } = await call('GET', `${IMAGES}?name=rockylinux-9-x64`);
  const [{ id: image_id, min_ram }] = body.results;
  const id = await imageOf(await volume({ source: 'image', image_id }));
  expect((await call('GET', `${IMAGES}/${id}`)).body).toMatchObject({ min_ram, os_distro: 'rockylinux' });
});

test('an image of the region is not for projects to change, and one of another project does not exist', async () => {
  const { body } = await call('GET', `${IMAGES}?limit=1`);
  const [{ id }] = body.results;
  expect((await call('PATCH', `${IMAGES}/${id}`, { name: 'mine' })).status).toBe(403);
  expect((await call('DELETE', `${IMAGES}/${id}`)).status).toBe(403);
  const own = await imageOf(await volume());
  const others = `/cloud/v1/images/2/2/${own}`;
  for (const method of ['GET', 'DELETE']) {
    expect((await server.call(method, others, { as: 'other client' })).status).toBe(404);
  }
  const stolen = { source: 'image', name: 'disk', size: 20, image_id: own };
  const reply = await server.call('POST', '/cloud/v1/volumes/2/2', { as: 'other client', body: stolen });
  expect(reply).toMatchObject({ status: 400, body: { invalid_fields: { image_id: [expect.any(String)] } } });
});

test('faults of a new image are named at once', async () => {
  const reply = await call('POST', IMAGES, { name: 'copy', volume_id: NOWHERE, tags: { 'a b': 'x', c: '' } });
  expect(await faultsOf(reply)).toEqual(['tags.a b', 'tags.c']);
  expect((await call('POST', IMAGES, { name: 'copy', volume_id: NOWHERE })).status).toBe(404);
});
