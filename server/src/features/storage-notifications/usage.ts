import type { UsageReport } from './schema.ts';

/** One bucket in a report. Space and files are levels at its end, traffic and requests what was added in it. */
export interface BucketUsage {
  readonly bucket_name: string;
  readonly used_space?: number;
  readonly files_quantity?: number;
  readonly used_traffic?: number;
  readonly used_requests?: number;
}

/** Reports may be this late, and clocks of storages this far ahead. */
export const MAX_LATE_MS = 31 * 86_400_000;
export const MAX_EARLY_MS = 5 * 60_000;

/** One entry for each bucket, in the order of names: of levels the last counts, amounts add up. A video counts
 *  as a bucket. */
export function bucketsOf(report: UsageReport): BucketUsage[] {
  const videos = (report.videos ?? []).map(({ video, requests, bytes }) => ({
    bucket_name: video,
    used_traffic: bytes,
    used_requests: requests,
  }));
  const merged = new Map<string, BucketUsage>();
  for (const bucket of [...(report.buckets ?? []), ...videos]) {
    const known = merged.get(bucket.bucket_name);
    merged.set(bucket.bucket_name, known ? merge(known, bucket) : bucket);
  }
  return [...merged.values()].sort((a, b) => (a.bucket_name < b.bucket_name ? -1 : 1));
}

function merge(a: BucketUsage, b: BucketUsage): BucketUsage {
  const sum = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : Math.min((x ?? 0) + (y ?? 0), Number.MAX_SAFE_INTEGER);
  const traffic = sum(a.used_traffic, b.used_traffic);
  const requests = sum(a.used_requests, b.used_requests);
  return {
    ...a,
    ...b,
    ...(traffic === undefined ? {} : { used_traffic: traffic }),
    ...(requests === undefined ? {} : { used_requests: requests }),
  };
}
