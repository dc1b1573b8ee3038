import { PermissionDenied } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { canonicalIp, type IpRanges } from '../../kernel/ip.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { authorize } from './authorize.ts';
import { expiryOf, type SigningSettings, sign, viewerIp } from './model.ts';
import type { VideoTokenQuery, VideoTokenRecord } from './schema.ts';

export interface VideoTokenSettings extends SigningSettings {
  readonly trustedProxies: IpRanges | undefined;
  readonly corsOrigins: readonly string[] | undefined;
  readonly authorizeUrl: string | undefined;
  /** Seconds; undefined: as long as is asked for. */
  readonly longestLifetime?: number | undefined;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A new pair of tokens for one video.
 *  @throws Invalid naming every faulty parameter; PermissionDenied when the user, or the page that asks, may
 *  not have one; HttpError 503 when nothing can be signed */
export async function issueVideoToken(
  ctx: RequestContext,
  { query, headers }: { readonly query: VideoTokenQuery; readonly headers: Headers },
  settings: VideoTokenSettings | undefined,
): Promise<VideoTokenRecord> {
  if (!settings?.secrets.length) throw new HttpError(503, 'Signed video is not set up on this server');
  const { video, override } = checked(query);
  const { origin } = headers;
  if (typeof origin === 'string' && settings.corsOrigins?.includes(origin) === false) {
    throw new PermissionDenied(`Pages of ${origin} may not ask for video tokens`);
  }
  const type = query.type;
  if (settings.authorizeUrl) await authorize(settings.authorizeUrl, { video, type, headers }, ctx.log);
  const now = Math.floor(ctx.clock.now().getTime() / 1000);
  const viewer = { headers, remoteAddress: ctx.remoteAddress };
  const clientIp = override ?? viewerIp(viewer, settings.trustedProxies);
  const expires = expiryOf(query.expire, now, settings.longestLifetime);
  return sign({ video, type, expires, clientIp }, settings);
}

function checked(query: VideoTokenQuery): { video: string; override: string | undefined } {
  const faults = new Faults();
  const video = query.video ?? '';
  if (video === '') faults.add('video', 'is required');
  // It becomes one segment of a path.
  else if (/[/\\\p{Cc}]/u.test(video)) faults.add('video', 'must not contain slashes or control characters');
  const requested = query.client_ip?.trim() || undefined;
  const override = requested && canonicalIp(requested);
  if (requested && !override) faults.add('client_ip', 'must be an IP address');
  faults.refuse('query');
  return { video, override };
}
