import type { Watchable } from '../../kernel/condition.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';

/** What a region's provider must be able to do for images. */
export interface ImageProvider {
  /** How images are. Absent: none is lost or broken by itself. */
  readonly condition?: Watchable;
  /** Makes the image of its volume, as the volume is now, or of the file at its address.
   *  @throws TaskFailed when it cannot be done */
  applyImage(desired: DesiredImage, operation: Operation): Promise<Progress>;
  /** Forgets the image; one that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeImage(id: string, operation: Operation): Promise<Progress>;
}

export interface DesiredImage {
  readonly id: string;
  readonly source: { readonly volumeId: string } | { readonly url: string };
}

/** Type of the operation that undoes what another one of the same task did. */
export const RESTORE_IMAGE = 'restore_image';
