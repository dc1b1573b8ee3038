import type { Transitions } from '../../../kernel/transitions.ts';
import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../../platform/database/rows.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import type { VolumeRow, VolumeType } from '../model.ts';

export const SNAPSHOT_STATUSES = [
  'available',
  'backing-up',
  'creating',
  'deleted',
  'deleting',
  'error',
  'error_deleting',
  'restoring',
  'unmanaging',
] as const;

/** `size` is in GiB. */
export const COLUMNS = [
  ...SCOPE_COLUMNS,
  'client_id',
  'volume_id',
  'name',
  'description',
  'status',
  'status_reason',
  'size',
  'volume_type',
  'bootable',
  'image_metadata',
  'tags',
  'schedule_id',
  'expires_at',
  ...CHANGE_COLUMNS,
] as const;

/** `error_deleting`, `error`: it can only be deleted. */
type SnapshotStatus = 'creating' | 'available' | 'deleting' | 'error_deleting' | 'error';

export const SNAPSHOT_TRANSITIONS: Transitions<SnapshotStatus> = {
  // Of a task that was lost it is not known what it has done.
  creating: ['available', 'error_deleting'],
  // Its region says that it is lost there, or well again.
  available: ['deleting', 'error'],
  error: ['deleting', 'available'],
  deleting: ['error_deleting'],
  error_deleting: ['deleting'],
};

interface Narrowed {
  readonly status: SnapshotStatus;
  readonly volume_type: VolumeType;
  readonly image_metadata: VolumeRow['image_metadata'];
  readonly tags: StoredTags;
}

export type SnapshotRow = RowOf<'volume_snapshots', typeof COLUMNS, Narrowed>;
