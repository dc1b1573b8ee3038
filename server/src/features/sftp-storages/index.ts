import type { Feature } from '../../platform/feature.ts';
import { unservedIn } from '../../platform/owners/unserved.ts';
import { type CountDeps, countUsageOnce, searchedStorages, storageJobs } from '../object-storage/index.ts';
import { sftpStorageExamples } from './examples.ts';
import { keepSftpStorages, type SftpKeeperDeps } from './reconciler.ts';
import { sftpStorageRoutes } from './routes.ts';
import type { SftpService } from './storages.ts';
import { addUsage, forgetUsage, storages } from './store.ts';
import { sftpStorageTasks } from './tasks.ts';

export type { SftpSettings } from './model.ts';
export type { SftpStorageProvider } from './port.ts';
export { settingsFaults } from './settings.ts';
export {
  createSshKey,
  deleteSshKey,
  getSshKey,
  listSshKeys,
  MAX_KEYS,
  publicKeyFault,
  readSshKeys,
  type ShownSshKey,
} from './ssh-keys.ts';
export {
  createStorage,
  deleteStorage,
  linkKey,
  type SftpService,
  updateStorage,
} from './storages.ts';

export type SftpStorageDeps = SftpService & Omit<SftpKeeperDeps, 'count'> & CountDeps;

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
    areas: { 'SFTP storage': 'Storages that are used over SFTP, and the SSH keys that open them.' },
    nouns: { sftp_storages: 'SftpStorage' },
    needs: 'sftpStorage',
    examples: sftpStorageExamples,
    attention: storages.inNeed,
    unserved: unservedIn('sftp_storage', 'sftp_storages'),
    searched: [searchedStorages('sftp_storage', 'sftp_storages')],
    routes: sftpStorageRoutes(deps),
    tasks: sftpStorageTasks(deps),
    held: [
      {
        table: 'sftp_storages',
        becomes: `status = case when deleted_at is null then 'active' else 'deleted' end, next = null`,
      },
    ],
    background: storageJobs('sftp-storage', deps.clock, {
      keep: () => keepSftpStorages(keeping),
      forget: (before) => forgetUsage(deps.db, before),
    }),
  };
}
