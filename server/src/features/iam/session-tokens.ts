import { createSecretKey, type KeyObject } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';

/** The tokens of a session: JSON Web Tokens (RFC 7519), signed with HMAC-SHA-256 under a key that comes from the
 *  master key. They name the session; whether it still stands, and what it may do, is asked of the database. */

export const ACCESS_SECONDS = 15 * 60;

export type TokenKind = 'access' | 'refresh';

/** What a token says. */
export interface TokenClaims {
  readonly sessionId: string;
  readonly userId: number;
  readonly clientId: number;
  /** How often the session had been refreshed. */
  readonly generation: number;
  readonly expiresAt: Date;
}

const ISSUER = 'virga';
const ALGORITHM = 'HS256';

export class SessionTokens {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #currentKeyId: string;
  readonly #clock: Clock;

  constructor(cipher: Cipher, clock: Clock) {
    this.#keys = new Map(cipher.keysFor('sign-in').map(({ id, key }) => [id, createSecretKey(key)]));
    this.#currentKeyId = cipher.currentKeyId;
    this.#clock = clock;
  }

  async sign(kind: TokenKind, claims: TokenClaims): Promise<string> {
    const payload = { sid: claims.sessionId, client: claims.clientId, gen: claims.generation };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: this.#currentKeyId })
      .setIssuer(ISSUER)
      .setAudience(kind)
      .setSubject(String(claims.userId))
      .setIssuedAt(this.#clock.now())
      .setExpirationTime(claims.expiresAt)
      .sign(this.#key(this.#currentKeyId));
  }

  /** What a token says, or nothing when it is forged, expired or of the other kind. */
  async read(kind: TokenKind, token: string): Promise<TokenClaims | undefined> {
    const payload = await this.#verify(kind, token, this.#clock.now());
    return payload && claimsOf(payload);
  }

  /** When a token ends or has ended, or nothing when it is forged or of the other kind. */
  async endOf(kind: TokenKind, token: string): Promise<Date | undefined> {
    const payload = await this.#verify(kind, token, new Date(0));
    return payload?.exp === undefined ? undefined : new Date(payload.exp * 1000);
  }

  async #verify(kind: TokenKind, token: string, now: Date): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtVerify(token, ({ kid = '' }) => this.#key(kid), {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: kind,
        requiredClaims: ['exp', 'sub', 'sid'],
        currentDate: now,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #key(id: string): KeyObject {
    const key = this.#keys.get(id);
    if (!key) throw new errors.JWSInvalid('signed under a key that is not known');
    return key;
  }
}

function claimsOf({ sub, sid, client, gen, exp }: JWTPayload): TokenClaims {
  return {
    sessionId: String(sid),
    userId: Number(sub),
    clientId: Number(client),
    generation: Number(gen),
    expiresAt: new Date(Number(exp) * 1000),
  };
}
