import type { RowOf } from '../../platform/database/rows.ts';

/** Thresholds on the usage of a storage or of one of its buckets. */

export const EVENT_NAMES = [
  'reaching_files_quantity',
  'reaching_used_requests',
  'reaching_used_space',
  'reaching_used_traffic',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** The field that holds an event's threshold. */
export type ThresholdField = 'bytes' | 'count';

interface Kind {
  readonly field: ThresholdField;
  /** Adds up over a calendar month and begins anew with the next; the others rise and fall. */
  readonly monthly: boolean;
  /** For people. */
  readonly label: string;
}

export const KINDS: Readonly<Record<EventName, Kind>> = {
  reaching_files_quantity: { field: 'count', monthly: false, label: 'number of files' },
  reaching_used_requests: { field: 'count', monthly: true, label: 'number of requests' },
  reaching_used_space: { field: 'bytes', monthly: false, label: 'used space' },
  reaching_used_traffic: { field: 'bytes', monthly: true, label: 'used traffic' },
};

/** An empty `bucket_name` is the whole storage. */
export const EVENT_COLUMNS = [
  'uuid',
  'name',
  'storage_name',
  'bucket_name',
  'threshold',
  'reached_in',
] as const;

export type StoredEvent = RowOf<'storage_events', typeof EVENT_COLUMNS, { name: EventName }>;

/** Stands in `reached_in` for usage that can fall again. */
const NOW = 'now';

/** The calendar month in UTC, as `2026-01`. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

export interface Verdict {
  readonly reachedIn: string | null;
  /** The client is to be notified. */
  readonly isNews: boolean;
}

/**
 * Whether an event is reached, and whether that is news. What can fall is reported once, and again only after it
 * was below the threshold; what adds up is reported once a month. A report for an earlier month than the one reported
 * last changes nothing.
 * @param month of the usage, as `2026-01`
 */
export function judge(event: StoredEvent, usage: number, month: string): Verdict {
  const reached = usage >= event.threshold;
  const before = event.reached_in;
  if (!KINDS[event.name].monthly)
    return { reachedIn: reached ? NOW : null, isNews: reached && before !== NOW };
  const isNews = reached && (before === null || before < month);
  return { reachedIn: isNews ? month : before, isNews };
}
