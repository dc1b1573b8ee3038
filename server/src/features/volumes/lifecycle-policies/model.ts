import type { RowOf } from '../../../platform/database/rows.ts';
import type { Duration, Timing } from './timing.ts';

export const POLICY_STATUSES = ['active', 'paused'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** What a policy does, the only thing. */
export const ACTION = 'volume_snapshot';

/** Stands for the id of the volume in names of snapshots. */
export const VOLUME_ID = '{volume_id}';
export const NAME_TEMPLATE = `reserve snap of the volume ${VOLUME_ID}`;

/** No quota counts these. */
export const MAX_POLICIES = 100;
export const MAX_SCHEDULES = 10;
/** Of the snapshots that a schedule keeps of a volume. */
export const MAX_QUANTITY = 10_000;
/** Named in one call. */
export const MAX_VOLUMES = 1000;

export const COLUMNS = [
  'id',
  'project_id',
  'region_id',
  'client_id',
  'user_id',
  'name',
  'status',
  'created_at',
] as const;

export type PolicyRow = RowOf<'lifecycle_policies', typeof COLUMNS, { status: PolicyStatus }>;

/** A schedule of a policy. Of its snapshots of a volume, the last `maxQuantity` are kept, and each for as long as
 *  `retentionTime` says; null or no time at all: for ever. */
export interface Schedule {
  readonly id: string;
  readonly timing: Timing;
  readonly maxQuantity: number;
  readonly retentionTime: Duration | null;
  readonly nameTemplate: string;
}

/** What snapshots of a volume are called. */
export const snapshotName = (template: string, volumeId: string) => template.replaceAll(VOLUME_ID, volumeId);
