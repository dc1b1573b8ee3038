import path from 'node:path';
import { IpRanges } from './addresses.ts';
import { type BucketSettings, readBucket } from './bucket-settings.ts';

/** Settings that the token service and the delivery edge must agree on, and those of the edge. Both processes
 *  read them from the environment with this code. */
export interface VideoSettings {
  readonly accountId: string;
  /** Newest first: the first one signs, all of them are accepted. Empty: kept in the data directory. */
  readonly secrets: readonly string[];
  /** Where viewers reach the edge, without a slash at the end. */
  readonly cdnUrl: string;
  /** The same for tokens that are bound to an IP address; its host name shows the edge that they are. */
  readonly cdnIpUrl: string;
  /** Whose `x-real-ip` and `x-forwarded-for` the token service believes; undefined: those of this machine. */
  readonly trustedProxies: IpRanges | undefined;
  /** Origins of web pages that may ask for tokens; undefined: all. */
  readonly corsOrigins: readonly string[] | undefined;
  /** Asked before signing whether this user may see the video. */
  readonly authorizeUrl: string | undefined;
  /** Seconds that a token lives at most; undefined: as long as is asked for. */
  readonly longestLifetime?: number | undefined;
  readonly edge: EdgeSettings;
}

export interface EdgeSettings {
  /** Whether the server runs an edge beside it. */
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  /** A folder, the URL of an upstream, or a bucket. */
  readonly origin: { readonly folder: string } | { readonly url: string } | BucketSettings;
  /** Whose `x-forwarded-for` the edge believes. */
  readonly trustedProxies: IpRanges;
  /** Where counts of requests and bytes go; undefined: nowhere. */
  readonly report: { readonly url: string; readonly token: string } | undefined;
}

export const VIDEO_SETTING_NAMES = [
  'VIRGA_VIDEO_ACCOUNT_ID',
  'VIRGA_VIDEO_SECRETS',
  'VIRGA_VIDEO_TRUSTED_PROXIES',
  'VIRGA_VIDEO_CORS_ORIGINS',
  'VIRGA_VIDEO_AUTHORIZE_URL',
  'VIRGA_VIDEO_MAX_LIFETIME',
  'VIRGA_CDN_URL',
  'VIRGA_CDN_IP_URL',
  'VIRGA_EDGE',
  'VIRGA_EDGE_HOST',
  'VIRGA_EDGE_PORT',
  'VIRGA_EDGE_ORIGIN',
  'VIRGA_EDGE_S3_ENDPOINT',
  'VIRGA_EDGE_S3_REGION',
  'VIRGA_EDGE_S3_CREDENTIALS',
  'VIRGA_EDGE_CACHE_MIB',
  'VIRGA_EDGE_TRUSTED_PROXIES',
  'VIRGA_EDGE_REPORT_URL',
  'VIRGA_EDGE_REPORT_TOKEN',
] as const;

export type Name = (typeof VIDEO_SETTING_NAMES)[number];
export type Environment = Readonly<Record<string, string | undefined>>;

/** The file in the data directory with the secrets that were made on the first run, newest first. */
export const SECRETS_FILE = 'video-secrets';

const DEFAULT_PORT = 8090;
/** Seconds. Where somebody decides who may see a video, a yes of yesterday is not one of today. */
const LONGEST_AUTHORIZED = 86_400;

/** @param faults gets one sentence for each wrong setting
 *  @param cwd what relative folders are relative to */
export function readVideoSettings(env: Environment, faults: string[], cwd: string): VideoSettings {
  const read = new Reader(env, faults);
  const port = read.port('VIRGA_EDGE_PORT', DEFAULT_PORT);
  const cdnUrl = read.url('VIRGA_CDN_URL') ?? `http://127.0.0.1:${port}`;
  const cdnIpUrl = read.url('VIRGA_CDN_IP_URL') ?? `http://localhost:${port}`;
  if (new URL(cdnUrl).hostname === new URL(cdnIpUrl).hostname) {
    faults.push('VIRGA_CDN_URL and VIRGA_CDN_IP_URL must have different host names');
  }
  const authorizeUrl = read.url('VIRGA_VIDEO_AUTHORIZE_URL', true);
  const dataDir = path.resolve(cwd, env.VIRGA_DATA_DIR?.trim() || '.virga');
  return {
    accountId: read.matching('VIRGA_VIDEO_ACCOUNT_ID', /^[1-9]\d{0,14}$/, 'a positive whole number') ?? '1',
    secrets: read.secrets(),
    cdnUrl,
    cdnIpUrl,
    trustedProxies: read.ranges('VIRGA_VIDEO_TRUSTED_PROXIES'),
    corsOrigins: read.origins(),
    authorizeUrl,
    longestLifetime:
      read.seconds('VIRGA_VIDEO_MAX_LIFETIME') ?? (authorizeUrl ? LONGEST_AUTHORIZED : undefined),
    edge: {
      enabled: read.matching('VIRGA_EDGE', /^(on|off)$/, 'on or off') !== 'off',
      host: read.text('VIRGA_EDGE_HOST') ?? '127.0.0.1',
      port,
      origin: read.origin(cwd, path.join(dataDir, 'video')),
      trustedProxies: read.ranges('VIRGA_EDGE_TRUSTED_PROXIES') ?? new IpRanges([]),
      report: read.report(),
    },
  };
}

class Reader {
  readonly #env: Environment;
  readonly #faults: string[];

  constructor(env: Environment, faults: string[]) {
    this.#env = env;
    this.#faults = faults;
  }

  text(name: Name): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }

  matching(name: Name, pattern: RegExp, meaning: string): string | undefined {
    const raw = this.text(name);
    if (raw === undefined || pattern.test(raw)) return raw;
    this.#faults.push(`${name} must be ${meaning}, not "${raw}"`);
    return undefined;
  }

  port(name: Name, fallback: number): number {
    const raw = this.text(name);
    if (raw === undefined) return fallback;
    if (/^\d{1,5}$/.test(raw) && Number(raw) <= 65_535) return Number(raw);
    this.#faults.push(`${name} must be a whole number from 0 to 65535, not "${raw}"`);
    return fallback;
  }

  url(name: Name, withQuery = false): string | undefined {
    const raw = this.text(name);
    if (raw === undefined) return undefined;
    if (isHttpUrl(raw, withQuery)) return raw.replace(/\/+$/, '');
    this.#faults.push(`${name} must be a URL that begins with http:// or https://`);
    return undefined;
  }

  seconds(name: Name): number | undefined {
    const raw = this.matching(name, /^[1-9]\d{0,9}$/, 'a positive whole number of seconds');
    return raw === undefined ? undefined : Number(raw);
  }

  list(name: Name): readonly string[] | undefined {
    const items = this.text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean);
    return items?.length ? items : undefined;
  }

  ranges(name: Name): IpRanges | undefined {
    const items = this.list(name);
    try {
      return items && new IpRanges(items);
    } catch (error) {
      this.#faults.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** What is wrong with a secret is said without the secret. */
  secrets(): readonly string[] {
    const items = this.list('VIRGA_VIDEO_SECRETS') ?? [];
    if (!items.every((secret) => /^[\x21-\x7e]{8,255}$/.test(secret))) {
      this.#faults.push(
        'VIRGA_VIDEO_SECRETS must be secrets of 8 to 255 visible ASCII characters, newest first, with commas between them',
      );
    }
    return items;
  }

  origins(): readonly string[] | undefined {
    const items = this.list('VIRGA_VIDEO_CORS_ORIGINS');
    if (items === undefined || items.includes('*')) return undefined;
    for (const item of items) {
      if (URL.canParse(item) && new URL(item).origin === item) continue;
      this.#faults.push(
        `VIRGA_VIDEO_CORS_ORIGINS must be origins such as https://player.example, not "${item}"`,
      );
    }
    return items;
  }

  origin(cwd: string, fallback: string): EdgeSettings['origin'] {
    const raw = this.text('VIRGA_EDGE_ORIGIN');
    if (raw === undefined) return { folder: fallback };
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(raw)) return { folder: path.resolve(cwd, raw) };
    if (raw.startsWith('s3://')) return readBucket(raw, this, this.#faults);
    return { url: this.url('VIRGA_EDGE_ORIGIN') ?? '' };
  }

  report(): EdgeSettings['report'] {
    const url = this.url('VIRGA_EDGE_REPORT_URL');
    const token = this.text('VIRGA_EDGE_REPORT_TOKEN');
    if (url !== undefined && token !== undefined) return { url, token };
    if (url !== undefined || token !== undefined) {
      this.#faults.push('VIRGA_EDGE_REPORT_URL and VIRGA_EDGE_REPORT_TOKEN must be set together');
    }
    return undefined;
  }
}

function isHttpUrl(raw: string, withQuery: boolean): boolean {
  if (!URL.canParse(raw)) return false;
  const { protocol, search, hash, username } = new URL(raw);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return hash === '' && username === '' && (withQuery || search === '');
}
