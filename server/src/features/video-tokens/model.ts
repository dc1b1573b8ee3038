import { videoToken } from '../../../../signing/src/signature.ts';
import { firstOf } from '../../kernel/headers.ts';
import { canonicalIp, IpRanges } from '../../kernel/ip.ts';
import type { VideoTokenRecord } from './schema.ts';

/** Seconds a token lives when nothing else is asked for. */
export const DEFAULT_LIFETIME = 3600;
/** `expire` above this (2025-01-01) is a point in time, not a lifetime. */
export const FIRST_ABSOLUTE = 1_735_689_600;
const NOBODY_KNOWS = '0.0.0.0';

/** What a token service signs with, and for which addresses. */
export interface SigningSettings {
  readonly accountId: string;
  /** Newest first; the first one signs. */
  readonly secrets: readonly string[];
  readonly cdnUrl: string;
  readonly cdnIpUrl: string;
}

/** When a token expires, in Unix seconds.
 *  @param expire as it came in the query; anything that is no number counts as missing
 *  @param now Unix time in seconds
 *  @param longest seconds that it may live */
export function expiryOf(expire: unknown, now: number, longest = Number.POSITIVE_INFINITY): number {
  const text = String(Array.isArray(expire) ? expire[0] : (expire ?? '')).trim();
  const number = /^\+?\d+(\.\d*)?$/.test(text) ? Math.trunc(Number(text)) : 0;
  if (number <= 0) return now + Math.min(longest, DEFAULT_LIFETIME);
  // Larger numbers cannot be told apart from their neighbours.
  const requested = Math.min(number, Number.MAX_SAFE_INTEGER);
  return Math.min(now + longest, requested > FIRST_ABSOLUTE ? requested : now + requested);
}

export interface Viewer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address of the peer, as the socket says. */
  readonly remoteAddress: string;
}

/** A proxy on this machine, when none is named. */
const THIS_HOST = new IpRanges(['127.0.0.0/8', '::1']);

/** The viewer's address: `x-real-ip`, else the first of `x-forwarded-for`, where a trusted proxy says so; else the
 *  peer. Who is trusted as a part of this machine, and says nothing, is no viewer: 0.0.0.0. */
export function viewerIp({ headers, remoteAddress }: Viewer, trusted: IpRanges | undefined): string {
  const peer = canonicalIp(remoteAddress) ?? NOBODY_KNOWS;
  if (!(trusted ?? THIS_HOST).contains(peer)) return peer;
  const named = firstAddress(headers['x-real-ip']) ?? firstAddress(headers['x-forwarded-for']);
  return named ?? (trusted ? peer : NOBODY_KNOWS);
}

function firstAddress(header: string | string[] | undefined): string | undefined {
  const first = firstOf(header)?.split(',')[0]?.trim();
  return first === undefined ? undefined : canonicalIp(first);
}

export interface Signing {
  readonly video: string;
  readonly type: 'vod' | 'live';
  readonly expires: number;
  readonly clientIp: string;
}

/** Both tokens of a video and the addresses that carry them.
 *  @throws RangeError without a secret */
export function sign(
  { video, type, expires, clientIp }: Signing,
  settings: SigningSettings,
): VideoTokenRecord {
  const { accountId, secrets, cdnUrl, cdnIpUrl } = settings;
  const [secret] = secrets;
  if (secret === undefined) throw new RangeError('there is no secret to sign with');
  const token = videoToken({ accountId, video, secret, expires, ip: '' });
  const tokenIp = videoToken({ accountId, video, secret, expires, ip: clientIp });
  const folder = type === 'vod' ? 'videos' : 'cmaf';
  const address = (base: string, signature: string) =>
    `${base}/${folder}/${accountId}_${encodeURIComponent(video)}/${signature}/${expires}/master.m3u8`;
  return {
    token,
    token_ip: tokenIp,
    client_ip: clientIp,
    expires,
    url: address(cdnUrl, token),
    url_ip: address(cdnIpUrl, tokenIp),
  };
}
