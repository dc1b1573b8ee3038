import { addInstance } from '../../harness/instances.ts';
import { type Preparation, post, remove, type Scenario } from './scenario.ts';

const VOLUMES = '/cloud/v1/volumes/1/2';
const V2 = VOLUMES.replace('/v1/', '/v2/');
const IMAGES = '/cloud/v1/images/1/2';
const INSTANCE = '11111111-1111-4111-8111-111111111111';

const empty = { source: 'new-volume', name: 'disk', size: 10 };
const volume = ({ finished }: Preparation) => finished(post(VOLUMES, empty), 'volumes');

async function withInstance(setup: Preparation): Promise<string> {
  await addInstance(setup.server, INSTANCE);
  return volume(setup);
}

const imageOf = (volume_id: string) => post(IMAGES, { name: 'copy', volume_id });

export const images: Readonly<Record<string, Scenario>> = {
  create_image: { prepare: volume, start: (id) => imageOf(String(id)) },
  download_image: {
    start: () =>
      post('/cloud/v1/downloadimage/1/2', { name: 'fetched', url: 'https://images.test/disk.raw' }),
  },
  delete_image: {
    prepare: async (setup) => setup.finished(imageOf(await volume(setup)), 'images'),
    start: (id) => remove(`${IMAGES}/${id}`),
    failureLeaves: 'its contents may be gone: it can only be deleted again',
  },
};

const SNAPSHOTS = '/cloud/v1/snapshots/1/2';
const snapshotOf = (volume_id: string) => post(SNAPSHOTS, { name: 'kept', volume_id });

async function withSnapshot(setup: Preparation): Promise<readonly [volume: string, snapshot: string]> {
  const id = await volume(setup);
  return [id, await setup.finished(snapshotOf(id), 'snapshots')];
}

export const snapshots: Readonly<Record<string, Scenario>> = {
  create_snapshot: { prepare: volume, start: (id) => snapshotOf(String(id)) },
  delete_snapshot: {
    prepare: withSnapshot,
    start: (_, id) => remove(`${SNAPSHOTS}/${id}`),
    failureLeaves: 'its contents may be gone: it can only be deleted again',
  },
  'create_volume from a snapshot': {
    prepare: withSnapshot,
    start: (_, snapshot_id) => post(VOLUMES, { source: 'snapshot', name: 'again', snapshot_id }),
  },
  'delete_volume with its snapshots': {
    prepare: withSnapshot,
    start: (id, snapshot) => remove(`${VOLUMES}/${id}?snapshots=${snapshot}`),
    failureLeaves: 'its contents may be gone: it can only be deleted again',
  },
  revert_volume: {
    prepare: withSnapshot,
    start: (id) => ({ ...post(`${VOLUMES}/${id}/revert`), waits: true }),
    failureLeaves: 'nobody knows what it holds: it can be reverted again, or deleted',
  },
};

export const volumes: Readonly<Record<string, Scenario>> = {
  create_volume: { start: () => post(VOLUMES, { ...empty, tags: { on: 'call' } }) },
  'create_volume from an image': {
    prepare: async ({ call }) => {
      const { body } = await call({ method: 'GET', path: `${IMAGES}?limit=1` });
      return body.results[0].id;
    },
    start: (image_id) => post(VOLUMES, { source: 'image', name: 'system', size: 20, image_id }),
  },
  'create_volume attached': {
    prepare: async ({ server }) => addInstance(server, INSTANCE),
    start: (instance) => post(VOLUMES, { ...empty, instance_id_to_attach_to: instance }),
  },
  delete_volume: {
    prepare: volume,
    start: (id) => remove(`${VOLUMES}/${id}`),
    failureLeaves: 'its contents may be gone: it can only be deleted again',
  },
  attach_volume: {
    prepare: withInstance,
    start: (id) => post(`${V2}/${id}/attach`, { instance_id: INSTANCE }),
  },
  detach_volume: {
    prepare: async (setup) => {
      const id = await withInstance(setup);
      await setup.finished(post(`${V2}/${id}/attach`, { instance_id: INSTANCE }));
      return id;
    },
    start: (id) => post(`${V2}/${id}/detach`, { instance_id: INSTANCE }),
  },
  extend_volume: { prepare: volume, start: (id) => post(`${VOLUMES}/${id}/extend`, { size: 25 }) },
  retype_volume: {
    prepare: volume,
    start: (id) => ({ ...post(`${VOLUMES}/${id}/retype`, { volume_type: 'ssd_hiiops' }), waits: true }),
  },
};
