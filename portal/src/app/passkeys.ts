import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { client, type Schemas } from '../api/client.ts';
import type { Answer } from '../ui/submit.ts';

/** Passkeys of the browser. The library is fetched when it is needed first. */

const library = () => import('@simplewebauthn/browser');

/** Why this browser can make none here, or undefined. */
export function whyNoPasskeys(): string | undefined {
  if (/^\[|^[\d.]+$/.test(location.hostname))
    return 'Passkeys need a host name: open the portal under its name, or as localhost';
  if (!window.isSecureContext) return 'Passkeys need HTTPS: open the portal over TLS';
  if (!('PublicKeyCredential' in window)) return 'This browser does not support passkeys';
  return undefined;
}

/** Has the browser make one, and adds it. @returns recovery codes, with the first second factor */
export async function addPasskey(name: string): Promise<Answer<Schemas['RecoveryCodes']>> {
  const prepared = await client.POST('/virga/v1/second_factors/passkeys/options');
  if (prepared.error) return prepared;
  const { startRegistration } = await library();
  const optionsJSON = prepared.data?.options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await startRegistration({ optionsJSON }).catch(notGiven);
  if (credential === undefined) return { error: NOT_GIVEN };
  return client.POST('/virga/v1/second_factors/passkeys', { body: { name, credential } });
}

/** Asks for one, and sends what the browser made of it. */
export async function withPasskey(
  send: (passkey: Schemas['PasskeyAssertion']) => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  const prepared = await client.POST('/virga/v1/session/passkey/options');
  if (prepared.error) return prepared;
  const { startAuthentication } = await library();
  const optionsJSON = prepared.data?.options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const passkey = await startAuthentication({ optionsJSON }).catch(notGiven);
  return passkey === undefined ? { error: NOT_GIVEN } : send(passkey);
}

const NOT_GIVEN = { message: 'No passkey was given. Try again, or use another way.' };

/** Browsers say only that nothing came of it, so that pages learn nothing of who has which passkeys. */
const notGiven = () => undefined;
