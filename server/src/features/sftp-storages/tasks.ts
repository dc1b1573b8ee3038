import { TaskFailed } from '../../kernel/errors.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, waitFor } from '../../platform/tasks/handler.ts';
import { readKeys } from './key-store.ts';
import { fullName, type SftpRow } from './model.ts';
import { type DesiredSftpStorage, RESTORE_SFTP_STORAGE, type SftpStorageProvider } from './port.ts';
import * as store from './store.ts';

export interface TaskDeps {
  providerOf(regionId: number): SftpStorageProvider | undefined;
}

const DEADLINE_MS = 30 * 60_000;

export type PlacedSftpStorage = SftpRow & { readonly address: string };
export const hasPlace = (row: SftpRow): row is PlacedSftpStorage => row.address !== null;

/** What a provider is told of a storage.
 *  @param when `before` the change that its task makes, or `after` it */
export async function desiredOf(
  db: Queryable,
  row: PlacedSftpStorage,
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

/** @throws TaskFailed when the region has none any more */
function providerFor(row: SftpRow, deps: TaskDeps): SftpStorageProvider {
  const provider = deps.providerOf(row.region_id);
  if (!provider) throw new TaskFailed('This region no longer offers SFTP storage');
  return provider;
}

const takingBack = ({ operation }: TaskRun) => ({
  ...operation,
  key: `${operation.key}-undo`,
  type: RESTORE_SFTP_STORAGE,
});

/** Brings a storage to what it is to be, or back to what it was. */
async function apply(run: TaskRun, row: SftpRow, when: 'before' | 'after', deps: TaskDeps) {
  const provider = providerFor(row, deps);
  const address = row.address ?? (await provider.addressOf(String(row.id)));
  if (row.address === null) await store.setAddress(run.db, row.id, run.task.id, address);
  const desired = await desiredOf(run.db, { ...row, address }, when);
  const operation = when === 'after' ? run.operation : takingBack(run);
  return waitFor(await provider.applySftpStorage(desired, operation));
}

async function remove(run: TaskRun, row: SftpRow, deps: TaskDeps, isUndo = false) {
  const operation = isUndo ? takingBack(run) : run.operation;
  return waitFor(await providerFor(row, deps).removeSftpStorage({ id: String(row.id) }, operation));
}

type Step = (run: TaskRun, row: SftpRow) => ReturnType<TaskHandler['run']>;

const handler = (type: string, steps: { readonly run: Step; readonly undo: Step }): TaskHandler => {
  const held = (step: Step) => async (run: TaskRun) => {
    const row = await store.readHeld(run.db, run.task.id);
    return row ? step(run, row) : done({});
  };
  return { type, deadlineMs: DEADLINE_MS, run: held(steps.run), undo: held(steps.undo) };
};

const applying =
  (deps: TaskDeps): Step =>
  async (run, row) =>
    (await apply(run, row, 'after', deps)) ??
    done({}, (tx) => store.settleActive(tx, row.id, run.task.id, true));

/** Back to what it was, at work. */
const takingBackTo =
  (deps: TaskDeps): Step =>
  async (run, row) =>
    (await apply(run, row, 'before', deps)) ??
    done({}, (tx) => store.settleActive(tx, row.id, run.task.id, false));

export const sftpStorageTasks = (deps: TaskDeps): readonly TaskHandler[] => [
  handler('create_sftp_storage', {
    run: applying(deps),
    // When it cannot be made, nothing of it is left.
    undo: async (run, row) =>
      (await remove(run, row, deps, true)) ?? done({}, (tx) => store.deleteStorage(tx, row.id, run.task.id)),
  }),
  handler('update_sftp_storage', { run: applying(deps), undo: takingBackTo(deps) }),
  handler('delete_sftp_storage', {
    run: async (run, row) =>
      (await remove(run, row, deps)) ??
      done({}, (tx) => store.settleDeleted(tx, row.id, run.task.id, run.timestamp)),
    // What could not be deleted serves on; files that are gone already stay gone.
    undo: takingBackTo(deps),
  }),
];
