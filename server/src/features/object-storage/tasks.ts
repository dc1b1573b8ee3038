import type { Cipher } from '../../platform/secrets/cipher.ts';
import { type TaskHandler, waitFor } from '../../platform/tasks/handler.ts';
import { type Providers, providerOfTask, undoing } from '../../platform/tasks/providers.ts';
import { desiredOf, retractedOf } from './desired.ts';
import type { StorageRow } from './model.ts';
import { applyNext, dropNext, readParts } from './parts-store.ts';
import { type ObjectStorageProvider, RESTORE_STORAGE } from './port.ts';
import { type StorageWork, storageTasks, withAddress } from './storage-tasks.ts';
import { settleActive, storages } from './store.ts';
import { secured } from './tls.ts';

export interface TaskDeps extends Providers<ObjectStorageProvider> {
  readonly cipher: Cipher;
}

const providerFor = providerOfTask('object storage');

/** A storage, with its keys and buckets. */
const workOf = (deps: TaskDeps): StorageWork<StorageRow> => ({
  async apply(run, row, when) {
    const provider = providerFor(run, deps);
    const storage = await secured(run, await withAddress(run, row, provider, storages), deps.cipher);
    const parts = await readParts(run.db, row.id);
    const desired = desiredOf(deps.cipher, storage, parts, when);
    const change = { retracted: retractedOf(parts, when) };
    const operation = when === 'after' ? run.operation : undoing(run, RESTORE_STORAGE);
    return waitFor(await provider.applyStorage(desired, change, operation));
  },
  async remove(run, row, { keepsFiles, isUndo }) {
    const operation = isUndo ? undoing(run, RESTORE_STORAGE) : run.operation;
    return waitFor(await providerFor(run, deps).removeStorage({ id: String(row.id), keepsFiles }, operation));
  },
  async settle(tx, row, taskId, applied) {
    if (await settleActive(tx, row.id, taskId)) await (applied ? applyNext : dropNext)(tx, row.id);
  },
});

/** What changes the parts of a storage. */
export const CHANGES = [
  'create_storage_access_key',
  'delete_storage_access_key',
  'create_storage_bucket',
  'update_storage_bucket',
  'delete_storage_bucket',
] as const;

export function objectStorageTasks(deps: TaskDeps): readonly TaskHandler[] {
  const tasks = storageTasks(storages, workOf(deps), { keepsFiles: true });
  return [
    tasks.creating('create_object_storage'),
    tasks.restoring('restore_object_storage'),
    tasks.deleting('delete_object_storage'),
    ...CHANGES.map((type) => tasks.changing(type)),
  ];
}
