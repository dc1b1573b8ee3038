import type { Feature } from '../../platform/feature.ts';
import type { ObjectStorageService } from './access.ts';
import { Keeper, type KeeperDeps } from './keeper.ts';
import { objectStorageRoutes } from './routes.ts';
import { resealSecrets } from './secrets.ts';
import { objectStorageTasks } from './tasks.ts';

export type { ObjectStorageProvider } from './port.ts';

export type ObjectStorageDeps = ObjectStorageService & Omit<KeeperDeps, 'count'>;

const KEEP_EVERY_MS = 1000;
const PURGE_EVERY_MS = 60_000;

export function objectStorage(deps: ObjectStorageDeps): Feature {
  const keeper = new Keeper({ ...deps, count: async () => undefined });
  return {
    name: 'object-storage',
    needs: 'objectStorage',
    routes: objectStorageRoutes(deps),
    tasks: objectStorageTasks(deps),
    held: [
      {
        table: 'object_storages',
        becomes: `status = case when deleted_at is null then 'active' else 'deleted' end`,
        parts: ['object_storage_keys', 'object_storage_buckets'].map((table) => ({
          table,
          becomes: table === 'object_storage_keys' ? 'pending = null' : 'pending = null, next = null',
          where: 'storage_id in (select id from object_storages where task_id = any($1::uuid[]))',
        })),
      },
    ],
    background: [
      {
        name: 'object-storage-keep',
        everyMs: KEEP_EVERY_MS,
        // It works on the regions that this node owns, each of which is nobody else's.
        exclusive: false,
        afterTakeOver: true,
        run: () => keeper.run(),
      },
      {
        name: 'object-storage-purge',
        everyMs: PURGE_EVERY_MS,
        exclusive: false,
        run: () => keeper.purge(),
      },
    ],
    reseal: resealSecrets,
  };
}
