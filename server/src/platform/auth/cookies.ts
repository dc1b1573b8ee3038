import { createHash, timingSafeEqual } from 'node:crypto';

/** The cookie of a browser's session: the session's id, a dot, and a secret. Over TLS its name has a prefix that makes
 *  browsers take it from this very host over TLS alone, so that no other host of the domain and nobody on the way can
 *  put one in its place. Over plain HTTP they would not take that name. */
const PLAIN = 'virga_session';
const OVER_TLS = `__Host-${PLAIN}`;

/** How a request has come. */
interface Transport {
  /** Over TLS, to this server or to a trusted proxy. */
  readonly secure: boolean;
}

const nameOver = ({ secure }: Transport) => (secure ? OVER_TLS : PLAIN);

/** The header in which a page sends back the token that it was given, to show that a write comes from it. */
export const FORGERY_HEADER = 'x-csrf-token';

/** The session cookie's value in a Cookie header (RFC 6265, 4.2); over TLS only under the name for that. */
export function sessionCookieOf(header: string | undefined, transport: Transport): string | undefined {
  const own = nameOver(transport);
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2);
    if (name === own && value) return value;
  }
  return undefined;
}

/** The Set-Cookie header for a session; without a value, one that deletes the cookie. Only pages of this server
 *  send it, scripts cannot read it, and over TLS it goes nowhere else. */
export function setSessionCookie(value: string | undefined, transport: Transport): string {
  const parts = [`${nameOver(transport)}=${value ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (transport.secure) parts.push('Secure');
  if (value === undefined) parts.push('Max-Age=0');
  return parts.join('; ');
}

/** The token against forgery: who knows the cookie knows it, and it does not reveal the cookie. */
export function forgeryTokenOf(cookie: string): string {
  return createHash('sha256').update(`forgery ${cookie}`).digest('base64url');
}

export function isForgeryToken(cookie: string, token: string | undefined): boolean {
  const expected = Buffer.from(forgeryTokenOf(cookie));
  const given = Buffer.from(token ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
