import { isIP } from 'node:net';
import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import * as store from './factor-store.ts';
import { type Challenge, newChallenge, readChallenge } from './passkey-challenges.ts';
import type { NewPasskeyCredential, PasskeyAssertion } from './passkey-schema.ts';

/** Passkeys: made for one host name, found by the authenticator, which asks for a PIN or a finger. Each is possession
 *  and knowledge at once, so that one is enough to sign in. */

const RP_NAME = 'Virga';
const NOT_VALID = 'is not valid here, was used already, or took longer than five minutes; try again';
const NEEDS_NAME =
  'Passkeys need a host name: open the portal as http://localhost with its port, or under the name of VIRGA_PUBLIC_URL';

/** Where browsers reach this server.
 *  @param host the Host header; it is trusted with nothing: a passkey works under the name that it was made for alone */
interface Site {
  readonly rpId: string;
  readonly origins: string[];
}

/** @throws Invalid for an address without a name */
function siteOf({ publicUrl }: RequestContext, host: string | undefined): Site {
  const address = publicUrl ?? `http://${host ?? ''}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const rpId = url?.hostname ?? '';
  if (!url || isIP(rpId.replace(/[[\]]/g, '')) !== 0) throw new Invalid({ errors: [NEEDS_NAME] });
  return { rpId, origins: [`https://${url.host}`, `http://${url.host}`] };
}

const library = () => import('@simplewebauthn/server');
const registering = (userId: number) => `register ${userId}`;
const SIGN_IN = 'sign-in';

/** What a browser needs to make one for a person. @param has ids of those that the person has */
export async function creationOptions(
  ctx: RequestContext,
  host: string | undefined,
  person: { readonly userId: number; readonly email: string; readonly has: readonly Buffer[] },
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: siteOf(ctx, host).rpId,
    userID: new TextEncoder().encode(String(person.userId)),
    userName: person.email,
    challenge: await newChallenge(ctx, registering(person.userId)),
    timeout: 5 * 60_000,
    attestationType: 'none',
    excludeCredentials: person.has.map((id) => ({ id: id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** What a browser needs to sign in with one, whoever that will be. */
export async function requestOptions(ctx: RequestContext, host: string | undefined) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: siteOf(ctx, host).rpId,
    challenge: await newChallenge(ctx, SIGN_IN),
    timeout: 5 * 60_000,
    userVerification: 'required',
  });
}

const refused = (field: string) => new Invalid({ [field]: [NOT_VALID] });

/** Checks what a browser made, and uses up its challenge.
 *  @throws Invalid naming `credential` */
export async function checkCredential(
  tx: Tx,
  ctx: RequestContext,
  given: {
    readonly userId: number;
    readonly host: string | undefined;
    readonly credential: NewPasskeyCredential;
  },
): Promise<store.Passkey> {
  const { verifyRegistrationResponse } = await library();
  const { rpId, origins } = siteOf(ctx, given.host);
  const challenge = expected(ctx, registering(given.userId));
  const { id, response } = given.credential;
  const verified = await verifyRegistrationResponse({
    response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
    expectedChallenge: challenge.read,
    expectedOrigin: origins,
    expectedRPID: rpId,
  }).catch(() => ({ verified: false }) as const);
  if (!verified.verified || !(await challenge.use(tx))) throw refused('credential');
  const { credential } = verified.registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    rpId,
  };
}

/** Whose passkey it is; its challenge is used up, and its use noted.
 *  @throws Invalid naming `passkey` */
export async function checkAssertion(
  tx: Tx,
  ctx: RequestContext,
  given: { readonly host: string | undefined; readonly passkey: PasskeyAssertion },
): Promise<number> {
  const { verifyAuthenticationResponse } = await library();
  const { id, response } = given.passkey;
  const row = await store.lockPasskey(tx, Buffer.from(id, 'base64url'));
  if (!row) throw refused('passkey');
  const { rpId, origins } = siteOf(ctx, given.host);
  if (rpId !== row.rp_id) throw refused('passkey');
  const challenge = expected(ctx, SIGN_IN);
  const verified = await verifyAuthenticationResponse({
    response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
    expectedChallenge: challenge.read,
    expectedOrigin: origins,
    expectedRPID: rpId,
    credential: { id, publicKey: new Uint8Array(row.public_key), counter: row.sign_count },
  }).catch(() => undefined);
  if (!verified?.verified || !(await challenge.use(tx))) throw refused('passkey');
  await store.notePasskeyUse(tx, row.id, verified.authenticationInfo.newCounter, ctx.clock.timestamp());
  return row.user_id;
}

/** The challenge of an answer. The library throws for whatever does not hold, so that nothing in it asks the
 *  database: a lost connection is not the caller's fault. */
function expected(ctx: RequestContext, use: string) {
  let met: Challenge | undefined;
  return {
    /** @returns false when it is none of ours for this use */
    read: async (encoded: string): Promise<boolean> => {
      met = await readChallenge(ctx, use, encoded);
      return met !== undefined;
    },
    /** @returns false when it was used before */
    use: async (tx: Tx): Promise<boolean> => met !== undefined && store.useChallenge(tx, met),
  };
}
