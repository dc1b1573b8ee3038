import { TaskFailed } from '../../kernel/errors.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../platform/tasks/handler.ts';
import { desiredOf, hasPlace, type PlacedStorage, retractedOf } from './desired.ts';
import type { StorageRow } from './model.ts';
import { dropNext, readParts, takeNext } from './parts-store.ts';
import { type ObjectStorageProvider, RESTORE_STORAGE } from './port.ts';
import * as store from './store.ts';

export interface TaskDeps {
  readonly cipher: Cipher;
  providerOf(regionId: number): ObjectStorageProvider | undefined;
}

const DEADLINE_MS = 30 * 60_000;

/** @throws TaskFailed when the region has no object storage any more */
function providerFor(row: StorageRow, deps: TaskDeps): ObjectStorageProvider {
  const provider = deps.providerOf(row.region_id);
  if (!provider) throw new TaskFailed('This region no longer offers object storage');
  return provider;
}

const takingBack = ({ operation }: TaskRun) => ({
  ...operation,
  key: `${operation.key}-undo`,
  type: RESTORE_STORAGE,
});

/** The storage with its address, which it is given once. */
async function placed(
  run: TaskRun,
  row: StorageRow,
  provider: ObjectStorageProvider,
): Promise<PlacedStorage> {
  if (hasPlace(row)) return row;
  const address = await provider.addressOf(String(row.id));
  await store.setAddress(run.db, row.id, run.task.id, address);
  return { ...row, address };
}

/** Brings a storage to what it is to be, or back to what it was. */
async function apply(run: TaskRun, row: StorageRow, when: 'before' | 'after', deps: TaskDeps) {
  const provider = providerFor(row, deps);
  const storage = await placed(run, row, provider);
  const parts = await readParts(run.db, row.id);
  const desired = desiredOf(deps.cipher, storage, parts, when);
  const change = { retracted: retractedOf(parts, when) };
  return waitFor(
    await provider.applyStorage(desired, change, when === 'after' ? run.operation : takingBack(run)),
  );
}

type Undo = (run: TaskRun, row: StorageRow) => ReturnType<TaskHandler['undo']>;

/** A storage becomes what its rows say. */
const applying = (type: string, deps: TaskDeps, undo: Undo): TaskHandler => ({
  type,
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const row = await store.readHeld(run.db, run.task.id);
    if (!row) return done({});
    const waiting = await apply(run, row, 'after', deps);
    if (waiting) return waiting;
    return done({}, async (tx) => {
      if (await store.settleActive(tx, row.id, run.task.id)) await takeNext(tx, row.id);
    });
  },
  async undo(run) {
    const row = await store.readHeld(run.db, run.task.id);
    return row ? undo(run, row) : done({});
  },
});

async function remove(run: TaskRun, row: StorageRow, keepsFiles: boolean, deps: TaskDeps, isUndo: boolean) {
  const removed = { id: String(row.id), keepsFiles };
  return waitFor(
    await providerFor(row, deps).removeStorage(removed, isUndo ? takingBack(run) : run.operation),
  );
}

/** A new storage; when it cannot be made, nothing of it is left. */
const createStorage = (deps: TaskDeps) =>
  applying('create_object_storage', deps, async (run, row) => {
    const waiting = await remove(run, row, false, deps, true);
    return (
      waiting ??
      done({}, async (tx) => {
        await store.deleteStorage(tx, row.id, run.task.id);
      })
    );
  });

/** A deleted storage comes back, with a new address; when it cannot, it is deleted as before. */
const restoreStorage = (deps: TaskDeps) =>
  applying('restore_object_storage', deps, async (run, row) => {
    const waiting = await remove(run, row, true, deps, true);
    return (
      waiting ??
      done({}, async (tx) => {
        await store.settleDeleted(tx, row.id, run.task.id, run.timestamp);
      })
    );
  });

/** Keys and buckets come, change and go; when that cannot be done, they are as they were. */
const changeStorage = (type: string, deps: TaskDeps) =>
  applying(type, deps, async (run, row) => {
    const waiting = await apply(run, row, 'before', deps);
    return (
      waiting ??
      done({}, async (tx) => {
        if (await store.settleActive(tx, row.id, run.task.id)) await dropNext(tx, row.id);
      })
    );
  });

/** Its files are kept for a while. One that could not be deleted serves as before. */
const deleteStorage = (deps: TaskDeps): TaskHandler => ({
  type: 'delete_object_storage',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const row = await store.readHeld(run.db, run.task.id);
    if (!row) return done({});
    const waiting = await remove(run, row, true, deps, false);
    return (
      waiting ??
      done({}, async (tx) => {
        await store.settleDeleted(tx, row.id, run.task.id, run.timestamp);
      })
    );
  },
  async undo(run) {
    const row = await store.readHeld(run.db, run.task.id);
    if (!row) return done({});
    const waiting = await apply(run, row, 'before', deps);
    return (
      waiting ??
      done({}, async (tx) => {
        await store.settleActive(tx, row.id, run.task.id);
      })
    );
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

export const objectStorageTasks = (deps: TaskDeps): readonly TaskHandler[] => [
  createStorage(deps),
  restoreStorage(deps),
  deleteStorage(deps),
  ...CHANGES.map((type) => changeStorage(type, deps)),
];
