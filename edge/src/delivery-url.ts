/** The form of protected addresses: `/{videos|cmaf}/{account}_{video}/{token}/{expires}/{file}`. */

export interface DeliveryUrl {
  readonly kind: 'videos' | 'cmaf';
  readonly accountId: string;
  readonly video: string;
  readonly token: string;
  readonly expires: string;
  /** Path below the video's folder; no segment of it begins with a dot. */
  readonly file: string;
}

/** The parts of the form as patterns that JavaScript and nginx understand alike. */
export const PARTS = {
  kind: 'videos|cmaf',
  video: '[^/]+',
  token: '[A-Za-z0-9_-]{22}',
  expires: '[1-9][0-9]{0,15}',
  file: '(?:[^/.][^/]*/)*[^/.][^/]*',
} as const;

const FORM = new RegExp(
  `^/(${PARTS.kind})/([1-9][0-9]{0,14})_(${PARTS.video})/(${PARTS.token})/(${PARTS.expires})/(${PARTS.file})$`,
);
const PROTECTED = new RegExp(`^/(?:${PARTS.kind})/`);

/** @param target the request's target, still encoded, with or without a query
 *  @returns the parts; 'malformed' for what lies under a protected folder without having the form; undefined for
 *  everything else */
export function parseDeliveryUrl(target: string): DeliveryUrl | 'malformed' | undefined {
  const query = target.indexOf('?');
  const encoded = query < 0 ? target : target.slice(0, query);
  const path = encoded.includes('%') ? decode(encoded) : encoded;
  if (path === undefined) return 'malformed';
  const parts = isPlain(encoded, path) ? FORM.exec(path) : null;
  if (!parts) return PROTECTED.test(path) ? 'malformed' : undefined;
  const [, kind, accountId = '', video = '', token = '', expires = '', file = ''] = parts;
  return { kind: kind === 'videos' ? 'videos' : 'cmaf', accountId, video, token, expires, file };
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
