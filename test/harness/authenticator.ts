import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** An authenticator in software (WebAuthn Level 2), with one passkey at a time: what a browser would send. */

const PRESENT_AND_VERIFIED = 0x05;
const WITH_CREDENTIAL = 0x40;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const url = (data: Buffer | string) => Buffer.from(data).toString('base64url');

/** CBOR (RFC 8949) of a byte string. */
const bytes = (data: Buffer) =>
  Buffer.concat([
    data.length < 24
      ? Buffer.from([0x40 + data.length])
      : data.length < 256
        ? Buffer.from([0x58, data.length])
        : Buffer.from([0x59, data.length >> 8, data.length & 255]),
    data,
  ]);
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);

export interface Page {
  readonly origin: string;
  readonly rpId: string;
}

export function authenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  let count = 0;
  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const dataOf = ({ rpId }: Page, flags: number, more = Buffer.alloc(0)) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++count);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, more]);
  };
  return {
    /** Answers `preparePasskey`. */
    create(challenge: string, page: Page) {
      // kty EC2, alg ES256, crv P-256 (RFC 9053).
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
        bytes(Buffer.from(x, 'base64url')),
        Buffer.from([0x22]),
        bytes(Buffer.from(y, 'base64url')),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 16]), credentialId, key]);
      const authData = dataOf(page, PRESENT_AND_VERIFIED | WITH_CREDENTIAL, attested);
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytes(authData),
      ]);
      return {
        id: url(credentialId),
        response: {
          clientDataJSON: url(clientData('webauthn.create', challenge, page.origin)),
          attestationObject: url(attestation),
        },
      };
    },
    /** Answers `preparePasskeySession`. */
    get(challenge: string, page: Page, flags = PRESENT_AND_VERIFIED) {
      const authenticatorData = dataOf(page, flags);
      const client = clientData('webauthn.get', challenge, page.origin);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), privateKey);
      return {
        id: url(credentialId),
        response: {
          clientDataJSON: url(client),
          authenticatorData: url(authenticatorData),
          signature: url(signature),
        },
      };
    },
  };
}
