import { type Static, Type } from '@sinclair/typebox';

/** What browsers make of passkeys (WebAuthn Level 3, 5.1.8 and 5.1.9), in base64url. */

const MAX = 20_000;
const base64url = (description: string, maxLength = MAX) => Type.String({ maxLength, description });
const id = () => base64url('The id of the passkey', 1400);
const clientDataJSON = () => base64url('What the browser signed: the challenge and the address of the page');

export const NewPasskeyCredential = Type.Object(
  {
    id: id(),
    response: Type.Object({
      clientDataJSON: clientDataJSON(),
      attestationObject: base64url('The public key'),
    }),
  },
  { $id: 'NewPasskeyCredential', description: 'What the browser made: the new passkey' },
);
export const PasskeyAssertion = Type.Object(
  {
    id: id(),
    response: Type.Object({
      clientDataJSON: clientDataJSON(),
      authenticatorData: base64url('What the authenticator says of itself'),
      signature: base64url('Of both', 4000),
    }),
  },
  { $id: 'PasskeyAssertion', description: 'What the browser made of a passkey' },
);
export type NewPasskeyCredential = Static<typeof NewPasskeyCredential>;
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

export const PasskeyOptions = Type.Object(
  {
    options: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description:
        'For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of the browser; ' +
        'valid for five minutes',
    }),
  },
  { $id: 'PasskeyOptions' },
);
export const AddPasskey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What the person calls it: "laptop"' }),
    credential: NewPasskeyCredential,
  },
  { $id: 'AddPasskey' },
);
export const OpenSessionByPasskey = Type.Object(
  { passkey: PasskeyAssertion },
  { $id: 'OpenSessionByPasskey' },
);
