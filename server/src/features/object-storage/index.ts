import { sql } from '../../platform/database/sql.ts';
import type { Feature } from '../../platform/feature.ts';
import { unservedIn } from '../../platform/owners/unserved.ts';
import type { ObjectStorageService } from './access.ts';
import { type CountDeps, countUsageOnce } from './count-usage.ts';
import { objectStorageExamples } from './examples.ts';
import { mapOfStorages } from './map.ts';
import type { StorageReport } from './port.ts';
import { Reconciler, type ReconcilerDeps } from './reconciler.ts';
import { objectStorageRoutes } from './routes.ts';
import { resealSecrets } from './secrets.ts';
import { storageJobs } from './storage-jobs.ts';
import type { AnyStorageRow } from './storage-table.ts';
import { searchedStorages } from './storage-table.ts';
import { storages } from './store.ts';
import { objectStorageTasks } from './tasks.ts';
import { authoritiesOfStorages, resealTlsKeys } from './tls.ts';
import { addUsage, forgetUsage } from './usage-store.ts';

export type { ObjectStorageService } from './access.ts';
export { type CountDeps, countUsageOnce, KEPT_USAGE_MS } from './count-usage.ts';
export { endPaused, noteServing } from './health.ts';
export { Locations } from './locations.ts';
export { STATUSES, type StorageStatus } from './model.ts';
export { nameIsFree } from './names.ts';
export {
  createBucket,
  createKey,
  deleteBucket,
  deleteKey,
  getBucket,
  listBuckets,
  listKeys,
  MAX_KEYS,
  updateBucket,
} from './parts.ts';
export type { ObjectStorageProvider, StorageProvider, StorageReport, UnservedStorage } from './port.ts';
export { bucketName, limitParameter, orderParameter, storageName } from './schema.ts';
export { PASSED_ON, storageAddress } from './signed-urls.ts';
export {
  readOrder,
  type StorageListQuery,
  startStorageTask,
  storageAccess,
  type Waiting,
} from './storage-access.ts';
export { storageJobs } from './storage-jobs.ts';
export { type AnyStorageRow, searchedStorages, storageTable } from './storage-table.ts';
export {
  hasAddress,
  type StorageWork,
  storageTasks,
  type WithAddress,
  withAddress,
} from './storage-tasks.ts';
export { createStorage, deleteStorage, restoreStorage } from './storages.ts';

export type ObjectStorageDeps = ObjectStorageService & Omit<ReconcilerDeps, 'count'> & CountDeps;

const PURGE_EVERY_MS = 10_000;

export function objectStorage(deps: ObjectStorageDeps): Feature {
  const reconciler = new Reconciler({ ...deps, count: (storage, report) => count(deps, storage, report) });
  return {
    name: 'object-storage',
    areas: { 'Object storage': 'S3 storages with their access keys and buckets, and what is used of them.' },
    nouns: { access_keys: 'StorageAccessKey', buckets: 'StorageBucket', object_storages: 'ObjectStorage' },
    needs: 'objectStorage',
    examples: objectStorageExamples,
    attention: storages.inNeed,
    unserved: unservedIn('object_storage', 'object_storages'),
    mapped: mapOfStorages,
    searched: [searchedStorages('object_storage', 'object_storages')],
    routes: objectStorageRoutes(deps),
    tasks: objectStorageTasks(deps),
    held: [
      {
        table: 'object_storages',
        becomes: `status = case when deleted_at is null then 'active' else 'deleted' end`,
        parts: ['object_storage_keys', 'object_storage_buckets'].map((table) => ({
          table,
          becomes: table === 'object_storage_keys' ? 'pending = null' : 'pending = null, next = null',
          where: (tasks) =>
            sql`storage_id in (select id from object_storages where task_id = any(${tasks}::uuid[]))`,
        })),
      },
    ],
    background: [
      ...storageJobs('object-storage', deps.clock, {
        keep: () => reconciler.run(),
        forget: (before) => forgetUsage(deps.db, before),
      }),
      {
        name: 'object-storage-purge',
        everyMs: PURGE_EVERY_MS,
        exclusive: false,
        run: () => reconciler.purge(),
      },
    ],
    certificates: authoritiesOfStorages,
    reseal: async (tx, cipher) => (await resealSecrets(tx, cipher)) + (await resealTlsKeys(tx, cipher)),
  };
}

/** Counts a report once: for the thresholds, and for the statistics. */
const count = (deps: ObjectStorageDeps, storage: AnyStorageRow, report: StorageReport): Promise<void> =>
  countUsageOnce(deps, { clientId: storage.client_id, storageName: storage.name }, report, (tx) =>
    addUsage(tx, storage.id, report),
  );
