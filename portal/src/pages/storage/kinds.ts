import type { Schemas } from '../../api/client.ts';
import { bytes } from '../../ui/bytes.ts';

export type Name = Schemas['StorageNotificationEvent']['name'];
export type Usage = Schemas['StorageUsage'];

/** The four things that are watched. */
export const KINDS = [
  { name: 'reaching_used_space', label: 'Space', usage: 'used_space', unit: 'bytes' },
  { name: 'reaching_files_quantity', label: 'Files', usage: 'files_quantity', unit: 'count' },
  { name: 'reaching_used_traffic', label: 'Traffic this month', usage: 'used_traffic', unit: 'bytes' },
  { name: 'reaching_used_requests', label: 'Requests this month', usage: 'used_requests', unit: 'count' },
] as const;

export type Kind = (typeof KINDS)[number];

/** A threshold, whichever kind it is of. */
export interface Threshold {
  readonly uuid: string;
  readonly kind: Kind;
  readonly storage: string;
  /** Empty: the whole storage. */
  readonly bucket: string;
  readonly at: number;
  readonly used: number;
  readonly notified: boolean;
}

type Configured = Schemas['StorageNotificationEvents'];

/** Every threshold with what is used of its place. */
export function thresholdsOf(events: Configured, usage: readonly Usage[]): readonly Threshold[] {
  return KINDS.flatMap((kind) =>
    events[kind.name].map((event) => {
      const storage = event.storage_name;
      const bucket = event.bucket_name ?? '';
      const rows = usage.filter(
        (row) => row.storage_name === storage && (bucket === '' || row.bucket_name === bucket),
      );
      return {
        uuid: event.uuid,
        kind,
        storage,
        bucket,
        at: 'bytes' in event ? event.bytes : event.count,
        used: rows.reduce((sum, row) => sum + row[kind.usage], 0),
        notified: usage.some(({ reached }) => reached.includes(event.uuid)),
      };
    }),
  );
}

export const amount = ({ unit }: Pick<Kind, 'unit'>, value: number): string =>
  unit === 'bytes' ? bytes(value) : value.toLocaleString();
