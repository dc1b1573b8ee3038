import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** X.509 certificates made in the test itself (ECDSA P-256, RFC 5280), so that no test depends on a
 *  program to make them or on files that expire. */
export interface TestCertificate {
  readonly certificate: string;
  readonly privateKey: string;
  readonly commonName: string;
  readonly key: KeyObject;
}

const OID = {
  commonName: '550403',
  ecPublicKeySha256: '2a8648ce3d040302',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
};

/** A certificate for these host names (the first is its subject), signed by `issuer` or by itself. */
export function makeCertificate(names: readonly string[], issuer?: TestCertificate): TestCertificate {
  const [commonName = 'test'] = names;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OID.ecPublicKeySha256));
  const extensions = sequence(
    extension(OID.basicConstraints, issuer ? sequence() : sequence(der(0x01, Buffer.from([0xff])))),
    extension(OID.subjectAltName, sequence(...names.map((name) => der(0x82, Buffer.from(name))))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer?.commonName ?? commonName),
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('490101000000Z'))),
    distinguishedName(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    certificate: pem('CERTIFICATE', whole),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    commonName,
    key: privateKey,
  };
}

/** SHA-256 of the certificate, as Node prints fingerprints. */
export function fingerprint({ certificate }: TestCertificate): string {
  const raw = Buffer.from(certificate.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return (createHash('sha256').update(raw).digest('hex').toUpperCase().match(/../g) ?? []).join(':');
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from(commonName)))));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
