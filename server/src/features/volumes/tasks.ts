import type { Tx } from '../../platform/database/db.ts';
import {
  attempt,
  done,
  type TaskHandler,
  type TaskRun,
  waitFor,
  whileHeldBy,
} from '../../platform/tasks/handler.ts';
import { quotaOf, release } from '../quotas/index.ts';
import { ACTIONS, UNATTACHED, type VolumeRow, type VolumeStatus, type VolumeType } from './model.ts';
import { settleSnapshots } from './snapshots/store.ts';
import { forgetSnapshots, removeSnapshots } from './snapshots/tasks.ts';
import * as store from './store.ts';
import { DEADLINE_MS, desiredOf, holdOf, providerFor, restoring, type TaskDeps } from './task-common.ts';

const whileHeld = whileHeldBy(store.readHeld);

/** Forgets a volume that the task holds, and what it counted. */
export async function forgetVolume(tx: Tx, row: VolumeRow, taskId: string): Promise<void> {
  if (await store.deleteVolume(tx, row.id, taskId))
    await release(tx, quotaOf(row), { volume_count: 1, volume_size: row.size });
}

const settled = (run: TaskRun, row: VolumeRow, status?: VolumeStatus) =>
  done({}, (tx) => store.settleVolume(tx, row, holdOf(run), status));

/** A volume with its instance. */
export const attached = (row: VolumeRow, timestamp: string): VolumeRow =>
  row.instance_id === null ? row : { ...row, attached_at: row.attached_at ?? timestamp };

/** A new volume, attached if that was asked for; when that fails, nothing of it is left. */
const createVolume = (deps: TaskDeps): TaskHandler => ({
  type: 'create_volume',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).applyVolume(desiredOf(row), run.operation));
    if (waiting) return waiting;
    return done({ volumes: [row.id] }, (tx) =>
      store.settleVolume(tx, attached(row, run.timestamp), holdOf(run)),
    );
  }),
  undo: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).removeVolume(row.id, restoring(run)));
    return waiting ?? done({}, (tx) => forgetVolume(tx, row, run.task.id));
  }),
});

/** A volume that could not be deleted may have lost its contents: it can only be deleted again. */
const deleteVolume = (deps: TaskDeps): TaskHandler => ({
  type: 'delete_volume',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const provider = providerFor(run, deps);
    const waiting =
      (await removeSnapshots(run, provider)) ?? waitFor(await provider.removeVolume(row.id, run.operation));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      await forgetSnapshots(tx, run.task.id);
      await forgetVolume(tx, row, run.task.id);
    });
  }),
  undo: whileHeld(async (run, row) =>
    done({}, async (tx) => {
      await settleSnapshots(tx, holdOf(run), 'error_deleting');
      // The region deletes none that is attached: it is as it was.
      const failed = row.instance_id === null ? ACTIONS.delete.failed : undefined;
      await store.settleVolume(tx, row, holdOf(run), failed);
    }),
  ),
});

/** A volume that could not be reverted holds nobody knows what: it can be reverted again, or deleted. */
const revertVolume = (deps: TaskDeps): TaskHandler => ({
  type: 'revert_volume',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const { snapshotId } = run.task.input as { readonly snapshotId: string };
    const of = { id: row.id, snapshotId };
    const waiting = waitFor(await providerFor(run, deps).changeContents(of, run.operation));
    return waiting ?? settled(run, row);
  }),
  undo: whileHeld(async (run, row) => settled(run, row, ACTIONS.revert.failed)),
});

/** What a task makes of a volume that is there. */
interface Change {
  before(row: VolumeRow, run: TaskRun): VolumeRow;
  after(row: VolumeRow, run: TaskRun): VolumeRow;
  /** Gives back what was reserved for it. */
  giveBack?(tx: Tx, row: VolumeRow, run: TaskRun): Promise<void>;
}

/** When it fails, the volume is as it was, as far as the region can: what it is there then, it says by itself. */
const changeVolume = (type: string, deps: TaskDeps, change: Change): TaskHandler => ({
  type,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const after = change.after(row, run);
    const waiting = waitFor(await providerFor(run, deps).applyVolume(desiredOf(after), run.operation));
    return waiting ?? settled(run, after);
  }),
  undo: whileHeld(async (run, row) => {
    const before = change.before(row, run);
    const back = await attempt(async () =>
      waitFor(await providerFor(run, deps).applyVolume(desiredOf(before), restoring(run))),
    );
    if (typeof back !== 'boolean') return back;
    return done({}, async (tx) => {
      await store.settleVolume(tx, before, holdOf(run));
      await change.giveBack?.(tx, row, run);
    });
  }),
});

const itself = (row: VolumeRow) => row;
export const unattached = (row: VolumeRow): VolumeRow => ({ ...row, ...UNATTACHED });
const sizeOf = (run: TaskRun) => (run.task.input as { readonly size: number }).size;
const typeOf = (run: TaskRun) => (run.task.input as { readonly type: VolumeType }).type;

export const volumeTasks = (deps: TaskDeps): readonly TaskHandler[] => [
  createVolume(deps),
  deleteVolume(deps),
  revertVolume(deps),
  changeVolume('attach_volume', deps, {
    before: unattached,
    after: (row, run) => attached(row, run.timestamp),
  }),
  changeVolume('detach_volume', deps, { before: itself, after: unattached }),
  changeVolume('extend_volume', deps, {
    before: itself,
    after: (row, run) => ({ ...row, size: sizeOf(run) }),
    giveBack: (tx, row, run) => release(tx, quotaOf(row), { volume_size: sizeOf(run) - row.size }),
  }),
  changeVolume('retype_volume', deps, {
    before: itself,
    after: (row, run) => ({ ...row, type: typeOf(run) }),
  }),
];
