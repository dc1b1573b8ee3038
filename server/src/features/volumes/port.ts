import type { Operation, Progress } from '../../kernel/operation.ts';

/** What a region's provider must be able to do for volumes. */
export interface VolumeProvider {
  /** Makes the volume be as desired, its attachment included. A volume that is larger than desired, since an
   *  extension of it was taken back, may stay as large.
   *  @throws TaskFailed when it cannot be done */
  applyVolume(desired: DesiredVolume, operation: Operation): Promise<Progress>;
  /** Forgets the volume with its contents; one that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeVolume(id: string, operation: Operation): Promise<Progress>;
}

export interface DesiredVolume {
  readonly id: string;
  /** GiB. */
  readonly size: number;
  readonly type: string;
  /** The image whose contents a new volume gets; null: an empty one. */
  readonly imageId: string | null;
  readonly attachment: { readonly instanceId: string; readonly device: string } | null;
}

/** Type of the operation that takes back what another one of the same task did. */
export const RESTORE_VOLUME = 'restore_volume';
