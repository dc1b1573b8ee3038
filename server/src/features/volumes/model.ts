import { Conflict } from '../../kernel/errors.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../platform/database/rows.ts';
import type { Scope } from '../../platform/http/context.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { VOLUME_TYPES } from '../catalogue/index.ts';

export { VOLUME_TYPES };
export type VolumeType = (typeof VOLUME_TYPES)[number];

/** As block storage names them; not all of them occur here. */
export const VOLUME_STATUSES = [
  'attaching',
  'available',
  'awaiting-transfer',
  'backing-up',
  'creating',
  'deleting',
  'detaching',
  'downloading',
  'error',
  'error_backing-up',
  'error_deleting',
  'error_extending',
  'error_restoring',
  'extending',
  'in-use',
  'maintenance',
  'reserved',
  'restoring-backup',
  'retyping',
  'reverting',
  'uploading',
] as const;
export type VolumeStatus = (typeof VOLUME_STATUSES)[number];

/** What can be done to a volume that is there: from which states, what it is meanwhile, afterwards, and when that has
 *  failed; without `failed` it is as it was. */
export const ACTIONS = {
  delete: {
    from: ['available', 'error', 'error_deleting', 'error_restoring'],
    during: 'deleting',
    after: [],
    failed: 'error_deleting',
  },
  attach: { from: ['available'], during: 'attaching', after: ['in-use'] },
  detach: { from: ['in-use'], during: 'detaching', after: ['available'] },
  extend: { from: ['available', 'in-use'], during: 'extending', after: ['available', 'in-use'] },
  retype: { from: ['available', 'in-use'], during: 'retyping', after: ['available', 'in-use'] },
  snapshot: { from: ['available', 'in-use'], during: 'backing-up', after: ['available', 'in-use'] },
  revert: {
    from: ['available', 'error_restoring'],
    during: 'reverting',
    after: ['available'],
    failed: 'error_restoring',
  },
  'make an image of': { from: ['available', 'in-use'], during: 'uploading', after: ['available', 'in-use'] },
} as const satisfies Record<
  string,
  {
    from: readonly VolumeStatus[];
    during: VolumeStatus;
    after: readonly VolumeStatus[];
    failed?: VolumeStatus;
  }
>;
export type VolumeAction = keyof typeof ACTIONS;

/** What it is while this goes on. */
export const statusDuring = (action: VolumeAction): VolumeStatus => ACTIONS[action].during;

export type { Scope };

/** How an instance has a volume: it boots from the one with `boot_index` 0; one with `delete_on_termination` is deleted
 *  with it. `device` is the first free name of the instance: `/dev/vda`. */
const ATTACHMENT = [
  'instance_id',
  'attachment_id',
  'device',
  'attachment_tag',
  'boot_index',
  'delete_on_termination',
  'attached_at',
] as const;

/** `size` is in GiB. The Kubernetes cluster `cluster_id` has a node that boots from the volume, and keeps it. */
export const COLUMNS = [
  ...SCOPE_COLUMNS,
  'client_id',
  'name',
  'size',
  'type',
  'status',
  'bootable',
  'image_id',
  'snapshot_id',
  'image_metadata',
  'cluster_id',
  'tags',
  ...ATTACHMENT,
  ...CHANGE_COLUMNS,
] as const;

interface Narrowed {
  readonly type: VolumeType;
  readonly status: VolumeStatus;
  readonly image_metadata: Readonly<Record<string, string>> | null;
  readonly attached_at: Date | string | null;
  readonly tags: StoredTags;
}

export type VolumeRow = RowOf<'volumes', typeof COLUMNS, Narrowed>;
export type Attachment = Pick<VolumeRow, (typeof ATTACHMENT)[number]>;

export const UNATTACHED: Attachment = {
  instance_id: null,
  attachment_id: null,
  device: null,
  attachment_tag: null,
  boot_index: null,
  delete_on_termination: false,
  attached_at: null,
};

/** @throws Locked naming the task that holds it, Conflict when its state does not allow the action */
export function requireState(row: VolumeRow, action: VolumeAction): void {
  if (row.cluster_id !== null) {
    throw new Conflict(`Volume ${row.id} belongs to Kubernetes cluster ${row.cluster_id}, which keeps it`);
  }
  requireFree('Volume', row);
  if ((ACTIONS[action].from as readonly VolumeStatus[]).includes(row.status)) return;
  if (row.instance_id !== null) {
    throw new Conflict(`Volume ${row.id} is attached to instance ${row.instance_id}; detach it first`);
  }
  const needed = ACTIONS[action].from.join(' or ');
  throw new Conflict(`Volume ${row.id} is ${row.status}; to ${action} it, it must be ${needed}`);
}

/** What a volume is when no task works on it. */
export const restingStatus = ({ instance_id }: Pick<VolumeRow, 'instance_id'>): VolumeStatus =>
  instance_id === null ? 'available' : 'in-use';

/** Operations a second and MB a second that a volume may do: always, and for a short time. Our own figures, the
 *  same for every size. */
export interface PerformanceLimits {
  readonly iops_base_limit: number;
  readonly iops_burst_limit: number;
  readonly MBps_base_limit: number;
  readonly MBps_burst_limit: number;
}

const limits = (iops: number, burst: number, mbps: number, mbpsBurst: number): PerformanceLimits => ({
  iops_base_limit: iops,
  iops_burst_limit: burst,
  MBps_base_limit: mbps,
  MBps_burst_limit: mbpsBurst,
});

export const PERFORMANCE: Readonly<Record<VolumeType, PerformanceLimits>> = {
  cold: limits(500, 500, 50, 50),
  standard: limits(2000, 4000, 150, 300),
  ssd_hiiops: limits(9000, 9000, 500, 500),
  ssd_lowlatency: limits(10_000, 10_000, 600, 600),
  ssd_local: limits(20_000, 20_000, 1000, 1000),
  ultra: limits(40_000, 40_000, 2000, 2000),
};

/** The `index`-th name of a disk, from 0: /dev/vda … /dev/vdz, /dev/vdaa … */
export function deviceName(index: number): string {
  const letters = (n: number): string =>
    (n < 26 ? '' : letters(Math.floor(n / 26) - 1)) + String.fromCharCode(97 + (n % 26));
  return `/dev/vd${letters(index)}`;
}

/** The first names that none of these has. */
export function freeDevices(inUse: ReadonlySet<string | null>, count: number): string[] {
  const free: string[] = [];
  for (let index = 0; free.length < count; index++) {
    if (!inUse.has(deviceName(index))) free.push(deviceName(index));
  }
  return free;
}
