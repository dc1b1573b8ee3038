import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addInstance } from '../../../../test/harness/instances.ts';
import { project } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import type { Condition } from '../../kernel/condition.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import type { ImageProvider } from '../images/index.ts';
import { imageWatch } from '../images/watch.ts';
import type { VolumeProvider } from './port.ts';
import { snapshotWatch, volumeWatch } from './watch.ts';

/** What becomes of volumes, snapshots and images that somebody else breaks or deletes, in a region that says what this
 *  test has it say. */

let server: TestServer;
let conditions: Map<string, Condition>;
let told: readonly (readonly string[])[];
let logged: string[];

/** Whether the region fails whatever is done to a volume that is there. */
let isBroken = false;
const broken = async (): Promise<never> => {
  throw new TaskFailed('it is broken');
};

beforeAll(async () => {
  server = await startTestServer({
    aroundProvider: (region) => {
      const { volumes } = region;
      if (!volumes) return region;
      const applyVolume: VolumeProvider['applyVolume'] = (desired, operation) =>
        isBroken ? broken() : volumes.applyVolume(desired, operation);
      const removeVolume: VolumeProvider['removeVolume'] = (id, operation) =>
        isBroken ? broken() : volumes.removeVolume(id, operation);
      return Object.assign({}, region, {
        volumes: Object.assign(Object.create(volumes), { applyVolume, removeVolume }),
      });
    },
  });
});
afterAll(() => server.close());

const { call, read, make, finished, usage } = project(() => server);
const url = (noun: string, id: string) => `/cloud/v1/${noun}/1/2/${id}`;
const volumeOf = (more: object = {}) =>
  make('volumes', { source: 'new-volume', name: 'disk', size: 1, ...more });
const snapshotOf = (volume_id: string) => make('snapshots', { name: 'kept', volume_id });

const condition = {
  async observe(ids: readonly string[], failed: ReadonlySet<string>) {
    told = [ids, [...failed]];
    return conditions;
  },
};

/** The region says this of them, and a look hears it. */
async function seen(
  watch: 'volumes' | 'snapshots' | 'images',
  says: Readonly<Record<string, string | null>>,
) {
  conditions = new Map(Object.entries(says).map(([id, failed]) => [id, { failed }]));
  logged = [];
  const { db, clock } = server;
  const log = createLog('warn', { destination: { write: (line: string) => void logged.push(line) } });
  const options = { db, clock, log, regionIds: () => [2] };
  const volumes = { condition, snapshotCondition: condition } as unknown as VolumeProvider;
  const images = { condition } as unknown as ImageProvider;
  const jobs: Record<typeof watch, BackgroundJob> = {
    volumes: volumeWatch({ ...options, providerOf: () => volumes }),
    snapshots: snapshotWatch({ ...options, providerOf: () => volumes }),
    images: imageWatch({ ...options, providerOf: () => images }),
  };
  await jobs[watch].run(new AbortController().signal);
}

const attention = async (id: string): Promise<string | undefined> =>
  (await read('/virga/v1/attention/1')).results.find((item: { id: string }) => item.id === id)?.reason;
const statusOf = async (noun: string, id: string): Promise<string> => (await read(url(noun, id))).status;
const recorded = async (subject: string): Promise<string[][]> =>
  (await read('/virga/v1/audit_log')).results
    .filter((entry: { subject: string }) => entry.subject === subject)
    .map(({ action, subject_name }: Record<string, string>) => [action, subject_name]);

test('a volume that is broken says so until it is well again, and what it is then', async () => {
  const volume = await volumeOf();
  const instance = await addInstance(server, randomUUID());
  const attached = await volumeOf({ instance_id_to_attach_to: instance });
  await seen('volumes', { [volume]: 'it is broken', [attached]: 'it is broken, too' });
  expect(told).toEqual([expect.arrayContaining([volume, attached]), []]);
  expect(logged.join('')).toContain('a volume was changed in the cloud: it is broken');
  expect(await statusOf('volumes', volume)).toBe('error');
  expect(await attention(volume)).toBe('it is broken');
  expect(await call('POST', `${url('volumes', volume)}/extend`, { size: 2 })).toMatchObject({ status: 409 });
  await seen('volumes', { [volume]: 'it is broken', [attached]: 'it is gone' });
  expect(told[1]).toEqual(expect.arrayContaining([volume, attached]));
  expect(logged.join('')).not.toContain('it is broken');
  expect(await attention(attached)).toBe('it is gone');
  await seen('volumes', { [volume]: null, [attached]: null });
  expect([await statusOf('volumes', volume), await statusOf('volumes', attached)]).toEqual([
    'available',
    'in-use',
  ]);
  expect(await attention(volume)).toBeUndefined();
  expect(await recorded(volume)).toEqual(
    expect.arrayContaining([
      ['note_volume', 'it is broken'],
      ['note_volume', 'it is well again in the cloud'],
    ]),
  );
});

test('a snapshot that is lost is no source any more, and can be deleted', async () => {
  const volume = await volumeOf();
  const before = await usage('volume_snapshots_count', 'volume_snapshots_size');
  const older = await snapshotOf(volume);
  const snapshot = await snapshotOf(volume);
  await seen('snapshots', { [snapshot]: 'it is gone', [older]: null });
  expect(await statusOf('snapshots', snapshot)).toBe('error');
  expect(await statusOf('snapshots', older)).toBe('available');
  expect(await attention(snapshot)).toBe('it is gone');
  expect(await recorded(snapshot)).toContainEqual(['note_snapshot', 'it is gone']);
  const body = { source: 'snapshot', snapshot_id: snapshot, name: 'copy' };
  expect(await call('POST', '/cloud/v1/volumes/1/2', body)).toMatchObject({
    status: 400,
    body: {
      invalid_fields: {
        snapshot_id: [`snapshot ${snapshot} is error, and nothing can be made of it: it is gone`],
      },
    },
  });
  await finished(call('DELETE', url('snapshots', snapshot)));
  await finished(call('DELETE', url('snapshots', older)));
  expect(await usage('volume_snapshots_count', 'volume_snapshots_size')).toEqual(before);
});

test('an image that is lost is no source any more until it is back, and can be deleted', async () => {
  const volume = await volumeOf();
  const image = await make('images', { name: 'picture', volume_id: volume });
  await seen('images', { [image]: 'it is gone' });
  expect(told[0]).toContain(image);
  expect(await statusOf('images', image)).toBe('error');
  expect(await attention(image)).toBe('it is gone');
  expect(await recorded(image)).toContainEqual(['note_image', 'it is gone']);
  const body = { source: 'image', image_id: image, name: 'copy', size: 1 };
  expect(await call('POST', '/cloud/v1/volumes/1/2', body)).toMatchObject({
    status: 400,
    body: {
      invalid_fields: { image_id: [`image ${image} is error, and nothing can be made of it: it is gone`] },
    },
  });
  await seen('images', { [image]: null });
  expect(await statusOf('images', image)).toBe('active');
  await seen('images', { [image]: 'it is gone again' });
  await finished(call('DELETE', url('images', image)));
  expect(await call('GET', url('images', image))).toMatchObject({ status: 404 });
});

test("an image of the region that is lost is in no list until it is back, and in nobody's log", async () => {
  const listed = async (): Promise<string[]> => {
    const { count, results } = await read('/cloud/v1/images/1/2');
    expect(count).toBe(results.length);
    return results.map(({ id }: { id: string }) => id);
  };
  const [image = '', ...others] = await listed();
  await seen('images', { [image]: 'The cloud has no such image' });
  expect(told[0]).toContain(image);
  expect(logged.join('')).toContain('an image was changed in the cloud: The cloud has no such image');
  expect(await listed()).toEqual(others);
  expect(await statusOf('images', image)).toBe('error');
  expect(await attention(image)).toBeUndefined();
  expect(await recorded(image)).toEqual([]);
  const volumes = [{ source: 'image', image_id: image }];
  const body = { name: 'mine', flavor: 'g1-standard-1-2', volumes, interfaces: [{ type: 'external' }] };
  expect(await call('POST', '/cloud/v2/instances/1/2', body)).toMatchObject({
    status: 400,
    body: {
      invalid_fields: {
        'volumes.0.image_id': [
          `image ${image} is error, and nothing can be made of it: the cloud has no such image`,
        ],
      },
    },
  });
  await seen('images', { [image]: null });
  expect(await listed()).toEqual([image, ...others]);
});

test('a change of a broken volume ends at once, and gives back what it reserved', async () => {
  const instance = await addInstance(server, randomUUID());
  const free = await volumeOf();
  const attached = await volumeOf({ instance_id_to_attach_to: instance });
  const before = await usage('volume_count', 'volume_size');
  isBroken = true;
  const failed = { state: 'ERROR', error: 'it is broken' };
  const ended = async (answer: ReturnType<typeof call>) => server.ended(await answer);
  expect(await ended(call('POST', `${url('volumes', free)}/extend`, { size: 9 }))).toMatchObject(failed);
  expect(await statusOf('volumes', free)).toBe('available');
  expect(await usage('volume_count', 'volume_size')).toEqual(before);
  await seen('volumes', { [free]: 'it is broken', [attached]: 'it is broken' });
  expect(await ended(call('DELETE', url('volumes', free)))).toMatchObject(failed);
  expect(await ended(call('DELETE', url('volumes', attached)))).toMatchObject(failed);
  // The region deletes none that is attached: its next look says again how it is.
  expect([await statusOf('volumes', free), await statusOf('volumes', attached)]).toEqual([
    'error_deleting',
    'in-use',
  ]);
  isBroken = false;
  await finished(call('DELETE', url('volumes', free)));
});
