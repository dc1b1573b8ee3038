import type { StoredTags } from '../../../platform/http/tags.ts';
import type { VolumeType } from '../model.ts';

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

export interface SnapshotRow {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly client_id: number;
  readonly volume_id: string;
  readonly name: string;
  readonly description: string | null;
  /** `error_deleting`: it can only be deleted again. */
  readonly status: 'creating' | 'available' | 'deleting' | 'error_deleting';
  /** GiB. */
  readonly size: number;
  readonly volume_type: VolumeType;
  readonly bootable: boolean;
  readonly image_metadata: Readonly<Record<string, string>> | null;
  readonly tags: StoredTags;
  readonly task_id: string | null;
  readonly creator_task_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
