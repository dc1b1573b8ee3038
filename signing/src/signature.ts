import { hash, timingSafeEqual } from 'node:crypto';

/** The one place that knows how video URLs are signed: the token service, the delivery edge and the printed
 *  nginx configuration share it. */

export interface SignedParts {
  readonly accountId: string;
  /** Slug of a video, or id of a live stream. */
  readonly video: string;
  readonly secret: string;
  /** Unix time in seconds up to which the token is valid. */
  readonly expires: number | string;
  /** The viewer's address; empty for a token that is valid from everywhere. */
  readonly ip: string;
}

/** Characters of every token: 16 bytes in base64url without padding. */
export const TOKEN_LENGTH = 22;

/** What is hashed: `{account_id}_{video}_{secret}_{expires}_{ip}`. */
export function signedText({ accountId, video, secret, expires, ip }: SignedParts): string {
  return `${accountId}_${video}_${secret}_${expires}_${ip}`;
}

/** `base64url(md5(signedText))` without padding: 22 characters. */
export function videoToken(parts: SignedParts): string {
  return hash('md5', signedText(parts), 'base64url');
}

/** Whether the token was made with one of the secrets. Takes the same time whatever the token is, and
 *  whichever secret it was made with. */
export function isVideoToken(
  token: string,
  parts: Omit<SignedParts, 'secret'>,
  secrets: readonly string[],
): boolean {
  const given = Buffer.from(token, 'latin1');
  if (given.length !== TOKEN_LENGTH) return false;
  let matches = 0;
  for (const secret of secrets) {
    matches |= Number(timingSafeEqual(given, Buffer.from(videoToken({ ...parts, secret }), 'latin1')));
  }
  return matches === 1;
}
