import type { Queryable } from '../../platform/database/db.ts';
import { type TaskHandler, waitFor } from '../../platform/tasks/handler.ts';
import { type Providers, providerOfTask, undoing } from '../../platform/tasks/providers.ts';
import { type StorageWork, storageTasks, type WithAddress, withAddress } from '../object-storage/index.ts';
import { readKeys } from './key-store.ts';
import { fullName, type SftpRow } from './model.ts';
import { type DesiredSftpStorage, RESTORE_SFTP_STORAGE, type SftpStorageProvider } from './port.ts';
import { settleActive, storages } from './store.ts';

export type TaskDeps = Providers<SftpStorageProvider>;

const providerFor = providerOfTask('SFTP storage');

/** What a provider gets to know of a storage.
 *  @param when `before` the change that its task makes, or `after` it */
export async function desiredOf(
  db: Queryable,
  row: WithAddress<SftpRow>,
  when: 'before' | 'after',
): Promise<DesiredSftpStorage> {
  const settings = when === 'after' ? (row.next ?? row.settings) : row.settings;
  const keys = await readKeys(db, row.client_id, settings.ssh_key_ids);
  return {
    id: String(row.id),
    address: row.address,
    user: fullName(row),
    passwordHash: settings.password_hash,
    publicKeys: keys.map(({ public_key }) => public_key),
    expiresAt: settings.expires_at,
  };
}

const workOf = (deps: TaskDeps): StorageWork<SftpRow> => ({
  async apply(run, row, when) {
    const provider = providerFor(run, deps);
    const desired = await desiredOf(run.db, await withAddress(run, row, provider, storages), when);
    const operation = when === 'after' ? run.operation : undoing(run, RESTORE_SFTP_STORAGE);
    return waitFor(await provider.applySftpStorage(desired, operation));
  },
  async remove(run, row, { isUndo }) {
    const operation = isUndo ? undoing(run, RESTORE_SFTP_STORAGE) : run.operation;
    return waitFor(await providerFor(run, deps).removeSftpStorage({ id: String(row.id) }, operation));
  },
  settle: (tx, row, taskId, applied) => settleActive(tx, row.id, taskId, applied),
});

export function sftpStorageTasks(deps: TaskDeps): readonly TaskHandler[] {
  const tasks = storageTasks(storages, workOf(deps), { keepsFiles: false });
  return [
    tasks.creating('create_sftp_storage'),
    tasks.changing('update_sftp_storage'),
    tasks.deleting('delete_sftp_storage'),
  ];
}
