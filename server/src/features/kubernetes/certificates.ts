import { webcrypto } from 'node:crypto';
import { loadX509 } from '../../platform/x509/library.ts';

/** The certificate authority of a cluster, and what it signs. ECDSA on P-256 with SHA-256. */

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
export const CA_DAYS = 3650;
export const KUBECONFIG_DAYS = 365;

const crypto = webcrypto;

/** A certificate and its private key, both PEM. */
export interface Issued {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface ClientCertificate extends Issued {
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const x509 = loadX509();
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** A new authority for one cluster. `serial` is hexadecimal. */
export async function newAuthority(clusterName: string, serial: string, now: Date): Promise<Issued> {
  const x509 = loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial,
    name: `CN=${clusterName}-ca, O=${clusterName}`,
    notBefore: now,
    notAfter: later(now, CA_DAYS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), privateKey: await privatePem(keys.privateKey) };
}

/** A client certificate of the cluster's administrators (group `system:masters`), signed by its authority. */
export async function issueClient(ca: Issued, serial: string, now: Date): Promise<ClientCertificate> {
  const x509 = loadX509();
  const authority = new x509.X509Certificate(ca.certificate);
  const [der] = x509.PemConverter.decode(ca.privateKey);
  if (!der) throw new Error('the authority has no private key');
  const signingKey = await crypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
  const keys = await newKeys();
  const expiresAt = later(now, KUBECONFIG_DAYS);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial,
    subject: 'CN=kubernetes-admin, O=system:masters',
    issuer: authority.subject,
    notBefore: now,
    notAfter: expiresAt,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  const issued = { certificate: certificate.toString('pem'), privateKey: await privatePem(keys.privateKey) };
  return { ...issued, createdAt: now, expiresAt };
}

const later = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS);
