import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** OpenSSH key texts: `<type> <base64 of length-prefixed fields> [comment]` (RFC 4253, section 6.6). */

const TYPES: ReadonlySet<string> = new Set([
  'ssh-rsa',
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]);

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const RSA_BITS = 2048;

export interface PublicKey {
  /** One line, without surrounding white space. */
  readonly text: string;
  /** MD5 over the key's blob, in pairs of hexadecimal digits between colons. */
  readonly fingerprint: string;
}

/** Reads a public key line, or says with undefined that it is none. */
export function parsePublicKey(input: string): PublicKey | undefined {
  const text = input.trim();
  if (/[\r\n]/.test(text)) return undefined;
  const [type = '', data = ''] = text.split(/\s+/);
  if (!TYPES.has(type) || !BASE64.test(data)) return undefined;
  const blob = Buffer.from(data, 'base64');
  const fields = fieldsOf(blob);
  if (!fields || fields.length < 2 || fields[0]?.toString('latin1') !== type) return undefined;
  return { text, fingerprint: fingerprintOf(blob) };
}

/** @param text a public key that `parsePublicKey` has read. @returns bits of its last number: the size of an RSA key */
export function publicKeyBits(text: string): number {
  const number = fieldsOf(Buffer.from(text.split(/\s+/)[1] ?? '', 'base64'))?.at(-1) ?? Buffer.alloc(0);
  const first = number.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (number.length - first) * 8 - Math.clz32(number[first] ?? 0) + 24;
}

function fieldsOf(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

const fingerprintOf = (blob: Buffer) =>
  (createHash('md5').update(blob).digest('hex').match(/../g) ?? []).join(':');

/** A new RSA key pair; the private key in PEM (PKCS #1), which every SSH client reads. */
export async function newKeyPair(comment: string): Promise<PublicKey & { privateKey: string }> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS });
  const { n = '', e = '' } = pair.publicKey.export({ format: 'jwk' });
  const number = (value: string) => {
    const bytes = Buffer.from(value, 'base64url');
    return (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  };
  const blob = Buffer.concat([Buffer.from('ssh-rsa'), number(e), number(n)].map(withLength));
  return {
    text: `ssh-rsa ${blob.toString('base64')} ${comment.replace(/\s/g, '-')}`,
    fingerprint: fingerprintOf(blob),
    privateKey: String(pair.privateKey.export({ type: 'pkcs1', format: 'pem' })),
  };
}

function withLength(field: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(field.length);
  return Buffer.concat([length, field]);
}
