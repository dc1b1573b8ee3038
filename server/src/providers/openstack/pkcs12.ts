import { createHash, createHmac, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import type { DesiredCertificate } from '../../features/load-balancers/port.ts';

/** A certificate, its chain and its key as PKCS #12 (RFC 7292) without a password: the form in which load balancers of
 *  OpenStack take them. Who keeps it encrypts it. */

const OIDS = {
  data: '2a864886f70d010701',
  keyBag: '2a864886f70d010c0a0101',
  certBag: '2a864886f70d010c0a0103',
  x509Certificate: '2a864886f70d01091601',
  localKeyId: '2a864886f70d010915',
  sha256: '608648016503040201',
} as const;

const [INTEGER, OCTETS, NULL, OID, SEQUENCE, SET, EXPLICIT] = [0x02, 0x04, 0x05, 0x06, 0x30, 0x31, 0xa0];
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const SALT_BYTES = 8;
const BLOCK_BYTES = 64;
/** What a key is derived for. */
const FOR_CODES = 3;

/** @throws when they are no PEM */
export function pkcs12Of({ certificate, chain, privateKey }: DesiredCertificate): Buffer {
  const [leaf, ...above] = [...certificate.matchAll(PEM), ...(chain ?? '').matchAll(PEM)].map(
    ([pem]) => new X509Certificate(pem).raw,
  );
  if (!leaf) throw new Error('it is not a certificate in PEM');
  const key = createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'der' });
  const idOfPair = createHash('sha1').update(leaf).digest();
  const pair = [set(sequence(oid('localKeyId'), set(encoded(OCTETS, idOfPair))))];
  const safe = sequence(
    sequence(oid('keyBag'), explicit(key), ...pair),
    certificateBag(leaf, pair),
    ...above.map((each) => certificateBag(each, [])),
  );
  const content = sequence(dataOf(safe));
  return sequence(integer(3), dataOf(content), codeOf(content));
}

const certificateBag = (der: Buffer, attributes: readonly Buffer[]) =>
  sequence(
    oid('certBag'),
    explicit(sequence(oid('x509Certificate'), explicit(encoded(OCTETS, der)))),
    ...attributes,
  );

const dataOf = (content: Buffer) => sequence(oid('data'), explicit(encoded(OCTETS, content)));

/** The code of authentication, which some readers want even where there is no password. */
function codeOf(content: Buffer): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const salted = Buffer.alloc(BLOCK_BYTES, salt);
  const key = createHash('sha256')
    .update(Buffer.concat([Buffer.alloc(BLOCK_BYTES, FOR_CODES), salted]))
    .digest();
  const code = createHmac('sha256', key).update(content).digest();
  const digest = sequence(sequence(oid('sha256'), encoded(NULL)), encoded(OCTETS, code));
  return sequence(digest, encoded(OCTETS, salt));
}

const oid = (name: keyof typeof OIDS) => encoded(OID, Buffer.from(OIDS[name], 'hex'));
const integer = (value: number) => encoded(INTEGER, Buffer.from([value]));
const sequence = (...parts: readonly Buffer[]) => encoded(SEQUENCE, ...parts);
const set = (...parts: readonly Buffer[]) => encoded(SET, ...parts);
const explicit = (part: Buffer) => encoded(EXPLICIT, part);

/** DER: what it is, how long, and the content. */
function encoded(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const hex = length.toString(16);
  const long = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const size = length < 0x80 ? [length] : [0x80 + long.length, ...long];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
