import { providerOfTask, undoing } from '../../platform/tasks/providers.ts';

export { holdOf } from '../../platform/tasks/providers.ts';

import type { TaskRun } from '../../platform/tasks/handler.ts';
import type { VolumeDeps } from './deps.ts';
import type { VolumeRow } from './model.ts';
import { type DesiredVolume, RESTORE_VOLUME } from './port.ts';

/** What the tasks of volumes and snapshots share. */

export const DEADLINE_MS = 30 * 60_000;

export type TaskDeps = Pick<VolumeDeps, 'providerOf'>;

export const providerFor = providerOfTask('volumes');

export const desiredOf = (row: VolumeRow): DesiredVolume => ({
  id: row.id,
  size: row.size,
  type: row.type,
  imageId: row.image_id,
  snapshotId: row.snapshot_id,
  attachment: row.instance_id === null ? null : { instanceId: row.instance_id, device: row.device ?? '' },
});

/** What a run says to providers that undo: a simulated region does that at once, and never fails it. */
export const restoring = (run: TaskRun) => undoing(run, RESTORE_VOLUME);
