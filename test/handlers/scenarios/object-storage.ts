import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';
import { storageMade, waits } from './storage.ts';

const STORAGES = '/storage/v4/object_storages';

/** Storages and keys are numbered and named anew each time. */
const MADE = [
  /"(id|storage_id)":"?\d+"?/g,
  /^\S+ \d+ /g,
  /s3-\d+\./g,
  /"(accessKey|access_key|secret)":"[^"]*"/g,
];

const newStorage = () => waits(post(STORAGES, { location_name: 'simulated', name: 'media' }));

const storage = storageMade(STORAGES, newStorage);

async function withBucket(setup: Preparation): Promise<string> {
  const path = await storage(setup);
  await setup.finished(waits(post(`${path}/buckets`, { name: 'photos' })));
  return path;
}

async function deleted(setup: Preparation): Promise<string> {
  const path = await storage(setup);
  await setup.finished(waits(remove(path)));
  return path;
}

async function key(setup: Preparation): Promise<string> {
  const path = await storage(setup);
  const { body } = await setup.call({ method: 'GET', path: `${path}/access_keys` });
  return `${path}/access_keys/${body.results[0].access_key}`;
}

const all: Readonly<Record<string, Scenario>> = {
  create_object_storage: { start: newStorage },
  delete_object_storage: { prepare: storage, start: (path = '') => waits(remove(path)) },
  restore_object_storage: { prepare: deleted, start: (path = '') => waits(post(`${path}/restore`)) },
  create_storage_access_key: {
    prepare: storage,
    start: (path = '') => waits(post(`${path}/access_keys`, { read_only: true })),
  },
  delete_storage_access_key: { prepare: key, start: (path = '') => waits(remove(path)) },
  create_storage_bucket: {
    prepare: storage,
    start: (path = '') => waits(post(`${path}/buckets`, { name: 'photos' })),
  },
  update_storage_bucket: {
    prepare: withBucket,
    start: (path = '') =>
      waits(
        patch(`${path}/buckets/photos`, {
          cors: { allowed_origins: ['https://app.example'] },
          lifecycle: { expiration_days: 3 },
          policy: { is_public: true },
        }),
      ),
  },
  delete_storage_bucket: {
    prepare: withBucket,
    start: (path = '') => waits(remove(`${path}/buckets/photos`)),
  },
};

export const objectStorage = Object.fromEntries(
  Object.entries(all).map(([type, scenario]) => [type, { ...scenario, blur: MADE }]),
);
