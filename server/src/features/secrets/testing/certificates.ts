import { webcrypto } from 'node:crypto';
import { loadX509 } from '../../../platform/x509/library.ts';

/** Certificates, authorities and revocation lists that tests make for themselves. */

export interface MadeCertificate {
  readonly certificate: string;
  readonly privateKey: string;
  readonly subject: string;
  readonly serial: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface CertificateOptions {
  readonly issuer?: MadeCertificate;
  /** May issue others. */
  readonly authority?: boolean;
  /** How many authorities may be below this one. */
  readonly pathLength?: number;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Bits of an RSA key; absent: EC on P-256. */
  readonly rsaBits?: number;
  /** Absent: the P-256 of the default. */
  readonly curve?: 'P-256' | 'P-384' | 'P-521';
}

const x509 = loadX509();
const SHA = 'SHA-256';
const FROM = new Date('2020-01-01T00:00:00Z');
const TO = new Date('2049-01-01T00:00:00Z');

function algorithmOf({ rsaBits, curve = 'P-256' }: CertificateOptions) {
  return rsaBits === undefined
    ? { name: 'ECDSA', namedCurve: curve, hash: SHA }
    : {
        name: 'RSASSA-PKCS1-v1_5',
        hash: SHA,
        modulusLength: rsaBits,
        publicExponent: new Uint8Array([1, 0, 1]),
      };
}

let lastSerial = 0x1000;

/** A certificate for these host names, the first of which is its subject, signed by its issuer or itself. */
export async function makeCertificate(
  names: readonly string[],
  options: CertificateOptions = {},
): Promise<MadeCertificate> {
  const { issuer, authority = false, notBefore = FROM, notAfter = TO } = options;
  const keys = (await webcrypto.subtle.generateKey(algorithmOf(options), true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  lastSerial += 1;
  const serial = lastSerial.toString(16);
  const subject = `CN=${names[0] ?? 'test'}`;
  const signer = issuer ?? { subject, keys };
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: serial,
    subject,
    issuer: signer.subject,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    signingAlgorithm: { name: signer.keys.privateKey.algorithm.name, hash: SHA },
    extensions: [
      new x509.BasicConstraintsExtension(authority, options.pathLength, true),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(signer.keys.publicKey),
    ],
  });
  return {
    certificate: `${made.toString('pem')}\n`,
    privateKey: await exported(keys.privateKey),
    subject,
    serial,
    keys,
  };
}

async function exported(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

/** A list of what this authority has revoked, in PEM. */
export async function makeRevocations(
  issuer: MadeCertificate,
  revoked: readonly MadeCertificate[],
  nextUpdate = TO,
): Promise<string> {
  const list = await x509.X509CrlGenerator.create({
    issuer: issuer.subject,
    thisUpdate: FROM,
    nextUpdate,
    entries: revoked.map(({ serial }) => ({ serialNumber: serial, revocationDate: FROM })),
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: SHA },
    extensions: [await x509.AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey)],
  });
  return `${x509.PemConverter.encode(list.rawData, 'X509 CRL')}\n`;
}

/** What a client sends to keep it. */
export function payloadOf({ certificate, privateKey }: MadeCertificate, chain = '') {
  return { certificate, certificate_chain: chain, private_key: privateKey };
}
