import type { Watchable } from '../../kernel/condition.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';

/** What a region's provider must be able to do for volumes. */
export interface VolumeProvider {
  /** How volumes are. Absent: none is lost or broken by itself. */
  readonly condition?: Watchable;
  /** The same of snapshots. */
  readonly snapshotCondition?: Watchable;
  /** Makes the volume be as desired, its attachment included. A volume that is larger than desired, since an
   *  extension of it was undone, may stay as large.
   *  @throws TaskFailed when it cannot be done */
  applyVolume(desired: DesiredVolume, operation: Operation): Promise<Progress>;
  /** Forgets the volume with its contents; one that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeVolume(id: string, operation: Operation): Promise<Progress>;
  /** Keeps what the volume holds now as a snapshot, unless that is there already.
   *  @throws TaskFailed when it cannot be done */
  applySnapshot(desired: DesiredSnapshot, operation: Operation): Promise<Progress>;
  /** Forgets the snapshot; one that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeSnapshot(id: string, operation: Operation): Promise<Progress>;
  /** Makes the volume, which is attached to nothing, hold what the snapshot holds.
   *  @throws TaskFailed when it cannot be done */
  changeContents(
    of: { readonly id: string; readonly snapshotId: string },
    operation: Operation,
  ): Promise<Progress>;
}

export interface DesiredSnapshot {
  readonly id: string;
  readonly volumeId: string;
}

export interface DesiredVolume {
  readonly id: string;
  /** GiB. */
  readonly size: number;
  readonly type: string;
  /** The image or the snapshot whose contents a new volume gets; without either it is empty. */
  readonly imageId: string | null;
  readonly snapshotId: string | null;
  readonly attachment: { readonly instanceId: string; readonly device: string } | null;
}

/** Type of the operation that undoes what another one of the same task did. */
export const RESTORE_VOLUME = 'restore_volume';
