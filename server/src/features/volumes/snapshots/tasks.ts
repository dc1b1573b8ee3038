import type { Tx } from '../../../platform/database/db.ts';
import {
  done,
  type TaskHandler,
  type TaskRun,
  type Wait,
  waitFor,
  whileHeldBy,
} from '../../../platform/tasks/handler.ts';
import { quotaOf, release } from '../../quotas/index.ts';
import { expireSurplus } from '../lifecycle-policies/due-store.ts';
import type { VolumeProvider } from '../port.ts';
import * as volumes from '../store.ts';
import { DEADLINE_MS, holdOf, providerFor, restoring, type TaskDeps } from '../task-common.ts';
import * as store from './store.ts';

const whileHeld = whileHeldBy(store.readHeld);

/** Removes the snapshots that the task holds at the provider; repeatable. */
export async function removeSnapshots(run: TaskRun, provider: VolumeProvider): Promise<Wait | undefined> {
  for (const { id } of await store.readAllHeld(run.db, run.task.id)) {
    const waiting = waitFor(await provider.removeSnapshot(id, run.operation));
    if (waiting) return waiting;
  }
  return undefined;
}

/** Forgets the snapshots that the task holds, and what they counted. */
export async function forgetSnapshots(tx: Tx, taskId: string): Promise<void> {
  for (const row of await store.deleteHeld(tx, taskId)) {
    await release(tx, quotaOf(row), { volume_snapshots_count: 1, volume_snapshots_size: row.size });
  }
}

async function releaseVolume(tx: Tx, run: TaskRun): Promise<void> {
  for (const row of await volumes.readAllHeld(tx, run.task.id))
    await volumes.settleVolume(tx, row, holdOf(run));
}

/** A snapshot of a volume, which the task holds too; when it fails, nothing of the snapshot is left. */
export const createSnapshotTask = (deps: TaskDeps): TaskHandler => ({
  type: 'create_snapshot',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const desired = { id: row.id, volumeId: row.volume_id };
    const waiting = waitFor(await providerFor(run, deps).applySnapshot(desired, run.operation));
    if (waiting) return waiting;
    return done({ snapshots: [row.id] }, async (tx) => {
      await store.settleSnapshots(tx, holdOf(run), 'available');
      if (row.schedule_id !== null) await expireSurplus(tx, row.schedule_id, row.volume_id, run.timestamp);
      await releaseVolume(tx, run);
    });
  }),
  undo: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).removeSnapshot(row.id, restoring(run)));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      await forgetSnapshots(tx, run.task.id);
      await releaseVolume(tx, run);
    });
  }),
});

/** A snapshot that could not be deleted may have lost its contents: it can only be deleted again. */
export const deleteSnapshotTask = (deps: TaskDeps): TaskHandler => ({
  type: 'delete_snapshot',
  deadlineMs: DEADLINE_MS,
  run: async (run) =>
    (await removeSnapshots(run, providerFor(run, deps))) ??
    done({}, (tx) => forgetSnapshots(tx, run.task.id)),
  undo: async (run) => done({}, (tx) => store.settleSnapshots(tx, holdOf(run), 'error_deleting')),
});
