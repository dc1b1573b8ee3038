import type { Name } from './settings.ts';

/** A bucket from which the edge delivers, and the key with which it is read. */
export interface BucketSettings {
  readonly bucket: string;
  /** What the names of all objects begin with, without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** URL of the S3 server, without a slash at the end. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Memory for objects that are kept. */
  readonly cacheBytes: number;
}

/** What reads one setting, and notes what is wrong with it. */
interface Settings {
  text(name: Name): string | undefined;
  url(name: Name): string | undefined;
  matching(name: Name, pattern: RegExp, meaning: string): string | undefined;
}

const MIB = 1024 * 1024;
const DEFAULT_CACHE_MIB = 128;

/** @param address `s3://BUCKET` or `s3://BUCKET/PREFIX`
 *  @param faults gets one sentence for each wrong setting; none of them has a key in it */
export function readBucket(address: string, read: Settings, faults: string[]): BucketSettings {
  const [, bucket = '', prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(address) ?? [];
  if (bucket === '' || /[?#\\]/.test(prefix))
    faults.push(
      `VIRGA_EDGE_ORIGIN must name a bucket as s3://BUCKET or s3://BUCKET/PREFIX, not "${address}"`,
    );
  if (read.text('VIRGA_EDGE_S3_ENDPOINT') === undefined)
    faults.push(
      'VIRGA_EDGE_S3_ENDPOINT must be set when VIRGA_EDGE_ORIGIN is a bucket: the URL of the S3 server',
    );
  const [accessKey = '', secretKey = ''] = readKey(read.text('VIRGA_EDGE_S3_CREDENTIALS'), faults);
  const cache = read.matching('VIRGA_EDGE_CACHE_MIB', /^\d{1,5}$/, 'a whole number of MiB up to 99999');
  return {
    bucket,
    prefix,
    endpoint: read.url('VIRGA_EDGE_S3_ENDPOINT') ?? '',
    region:
      read.matching('VIRGA_EDGE_S3_REGION', /^[a-z0-9-]{1,40}$/, 'the name of a region such as us-east-1') ??
      'us-east-1',
    accessKey,
    secretKey,
    cacheBytes: Number(cache ?? DEFAULT_CACHE_MIB) * MIB,
  };
}

function readKey(raw: string | undefined, faults: string[]): readonly string[] {
  const [, accessKey, secretKey] = /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(raw ?? '') ?? [];
  if (accessKey !== undefined && secretKey !== undefined) return [accessKey, secretKey];
  faults.push(
    'VIRGA_EDGE_S3_CREDENTIALS, or the file that VIRGA_EDGE_S3_CREDENTIALS_FILE names, must hold ACCESS_KEY:SECRET_KEY when VIRGA_EDGE_ORIGIN is a bucket',
  );
  return [];
}
