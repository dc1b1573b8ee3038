import { Secret, TOTP } from 'otpauth';

/** One-time passwords by time (RFC 6238), as authenticator apps make them: six digits, every half minute. */

const PERIOD_S = 30;
/** Codes before and after that of now, since clocks differ and people take their time. */
const WINDOW = 1;

/** @param base32 the shared secret
 *  @param label whose it is, for the app */
const totp = (base32: string, label = '') =>
  new TOTP({ issuer: 'Virga', label, secret: Secret.fromBase32(base32), period: PERIOD_S });

/** A shared secret of random bytes, in Base32. */
export const newSharedSecret = (bytes: Buffer): string =>
  new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;

/** What an app reads from a picture, and what the person types where there is none. */
export const otpAuthUri = (base32: string, label: string): string => totp(base32, label).toString();

/** Which code it is, by its number since 1970, or undefined when it is none of about now. */
export function stepOf(base32: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime();
  const delta = totp(base32).validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_S) + delta;
}
