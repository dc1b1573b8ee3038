import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { RequestContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';

/** Challenges of passkeys (WebAuthn Level 2, 13.4.3). They are signed instead of kept, so that who only looks at the
 *  sign-in page writes nothing; one that was met is kept until it expires, and counts once. */

const MINUTES = 5;
const ISSUER = 'virga passkeys';
const ALGORITHM = 'HS256';

export interface Challenge {
  readonly id: string;
  readonly expiresAt: Date;
}

const keysOf = (cipher: Cipher) => new Map(cipher.keysFor('passkeys').map(({ id, key }) => [id, key]));

/** @param use what it is for: `register 17`, `sign-in` */
export async function newChallenge({ cipher, clock, ids }: RequestContext, use: string): Promise<string> {
  const key = keysOf(cipher).get(cipher.currentKeyId);
  if (!key) throw new Error('the current master key is not loaded');
  return new SignJWT({})
    .setProtectedHeader({ alg: ALGORITHM, kid: cipher.currentKeyId })
    .setIssuer(ISSUER)
    .setAudience(use)
    .setJti(ids.uuid())
    .setExpirationTime(new Date(clock.now().getTime() + MINUTES * 60_000))
    .sign(createSecretKey(key));
}

/** @param encoded as the browser gives it back, in base64url
 *  @returns nothing when it is forged, expired, or was made for something else */
export async function readChallenge(
  { cipher, clock }: RequestContext,
  use: string,
  encoded: string,
): Promise<Challenge | undefined> {
  const keys = keysOf(cipher);
  try {
    const { payload } = await jwtVerify(
      Buffer.from(encoded, 'base64url').toString(),
      ({ kid = '' }) => {
        const key = keys.get(kid);
        if (!key) throw new errors.JWSInvalid('signed under a key that is not known');
        return createSecretKey(key);
      },
      {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: use,
        requiredClaims: ['exp', 'jti'],
        currentDate: clock.now(),
      },
    );
    return { id: String(payload.jti), expiresAt: new Date(Number(payload.exp) * 1000) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
