import type { Feature } from '../../platform/feature.ts';
import { type CountDeps, countUsageOnce, KEPT_USAGE_MS } from '../object-storage/index.ts';
import { sftpStorageExamples } from './examples.ts';
import { keepSftpStorages, type SftpKeeperDeps } from './keeper.ts';
import { sftpStorageRoutes } from './routes.ts';
import type { SftpService } from './storages.ts';
import { addUsage, forgetUsage } from './store.ts';
import { sftpStorageTasks } from './tasks.ts';

export type { SftpStorageProvider } from './port.ts';

export type SftpStorageDeps = SftpService & Omit<SftpKeeperDeps, 'count'> & CountDeps;

const KEEP_EVERY_MS = 1000;
const FORGET_EVERY_MS = 3_600_000;

export function sftpStorages(deps: SftpStorageDeps): Feature {
  const keeping: SftpKeeperDeps = {
    ...deps,
    count: (row, report) =>
      countUsageOnce(deps, { clientId: row.client_id, storageName: row.name }, report, (tx) =>
        addUsage(tx, row.id, report),
      ),
  };
  return {
    name: 'sftp-storages',
    needs: 'sftpStorage',
    examples: sftpStorageExamples,
    routes: sftpStorageRoutes(deps),
    tasks: sftpStorageTasks(deps),
    held: [
      {
        table: 'sftp_storages',
        becomes: `status = case when deleted_at is null then 'active' else 'deleted' end, next = null`,
      },
    ],
    background: [
      {
        name: 'sftp-storage-keep',
        everyMs: KEEP_EVERY_MS,
        // It works on the regions that this node owns, each of which is nobody else's.
        exclusive: false,
        afterTakeOver: true,
        run: () => keepSftpStorages(keeping),
      },
      {
        name: 'sftp-storage-forget',
        everyMs: FORGET_EVERY_MS,
        exclusive: true,
        run: () => forgetUsage(deps.db, new Date(deps.clock.now().getTime() - KEPT_USAGE_MS)),
      },
    ],
  };
}
