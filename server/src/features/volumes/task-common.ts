import { TaskFailed } from '../../kernel/errors.ts';
import type { TaskRun } from '../../platform/tasks/handler.ts';
import type { VolumeRow } from './model.ts';
import type { VolumeDeps } from './place.ts';
import { type DesiredVolume, RESTORE_VOLUME, type VolumeProvider } from './port.ts';
import type { Hold } from './store.ts';

/** What the tasks of volumes and snapshots share. */

export const DEADLINE_MS = 30 * 60_000;

export type TaskDeps = Pick<VolumeDeps, 'providerOf'>;

/** @throws TaskFailed when the region has no volumes */
export function providerFor({ task }: TaskRun, deps: TaskDeps): VolumeProvider {
  const provider = task.regionId === null ? undefined : deps.providerOf(task.regionId);
  if (!provider) throw new TaskFailed(`Region ${task.regionId} has no volumes`);
  return provider;
}

export const desiredOf = (row: VolumeRow): DesiredVolume => ({
  id: row.id,
  size: row.size,
  type: row.type,
  imageId: row.image_id,
  snapshotId: row.snapshot_id,
  attachment: row.instance_id === null ? null : { instanceId: row.instance_id, device: row.device ?? '' },
});

/** What a run tells providers that take back: a simulated region does that at once, and never fails it. */
export const restoring = ({ operation }: TaskRun) => ({
  ...operation,
  key: `${operation.key}-undo`,
  type: RESTORE_VOLUME,
});

export const holdOf = ({ task, timestamp }: TaskRun): Hold => ({ taskId: task.id, timestamp });
