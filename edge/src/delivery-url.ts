/** The forms of protected addresses: `/{videos|cmaf|mpegts}/{account}_{video}/{token}/{expires}/{file}`, and, for single
 *  files such as MP4, `/{videos|cmaf|mpegts}/{account}_{video}/{file}?md5={token}&expires={expires}`. */

export interface DeliveryUrl {
  readonly kind: 'videos' | 'cmaf' | 'mpegts';
  readonly accountId: string;
  readonly video: string;
  readonly token: string;
  readonly expires: string;
  /** Path below the video's folder; no segment of it begins with a dot. */
  readonly file: string;
  /** Whether the token is in the query, which no origin may see then. */
  readonly signedInQuery: boolean;
}

/** The parts of the form as patterns that JavaScript and nginx understand alike. */
export const PARTS = {
  kind: 'videos|cmaf|mpegts',
  video: '[^/]+',
  token: '[A-Za-z0-9_-]{22}',
  expires: '[1-9][0-9]{0,15}',
  file: '(?:[^/.][^/]*/)*[^/.][^/]*',
} as const;

const VIDEO = `^/(${PARTS.kind})/([1-9][0-9]{0,14})_(${PARTS.video})`;
const FORM = new RegExp(`${VIDEO}/(${PARTS.token})/(${PARTS.expires})/(${PARTS.file})$`);
const FILE_FORM = new RegExp(`${VIDEO}/(${PARTS.file})$`);
const TOKEN = new RegExp(`^${PARTS.token}$`);
const EXPIRES = new RegExp(`^${PARTS.expires}$`);
const PROTECTED = new RegExp(`^/(?:${PARTS.kind})/`);

/** @param target the request's target, still encoded, with or without a query
 *  @returns the parts; 'malformed' for what lies under a protected folder without having the form; undefined for
 *  everything else */
export function parseDeliveryUrl(target: string): DeliveryUrl | 'malformed' | undefined {
  const query = target.indexOf('?');
  const encoded = query < 0 ? target : target.slice(0, query);
  const path = encoded.includes('%') ? decode(encoded) : encoded;
  if (path === undefined) return 'malformed';
  if (!PROTECTED.test(path)) return undefined;
  if (!isPlain(encoded, path)) return 'malformed';
  const parts = FORM.exec(path);
  if (!parts) return query < 0 ? 'malformed' : signedInQuery(path, target.slice(query));
  const [, kind, accountId = '', video = '', token = '', expires = '', file = ''] = parts;
  return { kind: kind as DeliveryUrl['kind'], accountId, video, token, expires, file, signedInQuery: false };
}

function signedInQuery(path: string, query: string): DeliveryUrl | 'malformed' {
  const [, token = ''] = /[?&]md5=([^&]*)/.exec(query) ?? [];
  const [, expires = ''] = /[?&]expires=([^&]*)/.exec(query) ?? [];
  const parts = FILE_FORM.exec(path);
  if (!parts || !TOKEN.test(token) || !EXPIRES.test(expires)) return 'malformed';
  const [, kind, accountId = '', video = '', file = ''] = parts;
  return { kind: kind as DeliveryUrl['kind'], accountId, video, token, expires, file, signedInQuery: true };
}

/** No slash was hidden in an escape, and nothing in it means something to a file system. */
function isPlain(encoded: string, decoded: string): boolean {
  const hidden = encoded !== decoded && /%2f/i.test(encoded);
  return !hidden && !decoded.includes('\0') && !decoded.includes('\\');
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
