import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { loadX509 } from './library.ts';

/** What the servers of one cluster or storage prove themselves with. Each has an authority of its own, which signs one
 *  certificate and is then forgotten but for its own, by which clients know the servers. ECDSA on P-256. */

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const CA_DAYS = 3650;
const DAY_MS = 86_400_000;
const { subtle } = webcrypto;

export interface IssuedTls {
  readonly ca: string;
  readonly certificate: string;
  readonly privateKey: string;
}

const newKeys = () => subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** An authority and a certificate for an address.
 *  @param name of what the authority is for: it is called "NAME authority"
 *  @param host an IP address, or a name */
export async function issueTls(name: string, host: string, now: Date): Promise<IssuedTls> {
  const x509 = loadX509();
  const [caKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const times = { notBefore: now, notAfter: new Date(now.getTime() + CA_DAYS * DAY_MS) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...times,
    serialNumber: randomBytes(16).toString('hex'),
    name: `CN=${name} authority`,
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...times,
    serialNumber: randomBytes(16).toString('hex'),
    subject: `CN=${host}`,
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: isIP(host) ? 'ip' : 'dns', value: host }]),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { ca: pem(ca), certificate: pem(certificate), privateKey: `${key}\n` };
}

const pem = (certificate: { toString(format: 'pem'): string }) => `${certificate.toString('pem')}\n`;
