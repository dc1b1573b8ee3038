import { randomBytes, webcrypto } from 'node:crypto';
import type { Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { loadX509 } from '../../platform/x509/library.ts';
import { lockTlsNotUnder, setTlsKey, type TlsRow } from './cluster-store.ts';

/** What the servers of a cluster prove themselves with. Each cluster has an authority of its own, which signs one
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
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: host }]),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { ca: pem(ca), certificate: pem(certificate), privateKey: `${key}\n` };
}

const pem = (certificate: { toString(format: 'pem'): string }) => `${certificate.toString('pem')}\n`;

const contextOf = (id: string) => `postgresql_clusters/${id}/tls`;

export function sealTlsKey(cipher: Cipher, id: string, privateKey: string) {
  const { keyId, box } = cipher.seal(privateKey, contextOf(id));
  return { tls_key_id: keyId, sealed_tls_key: box };
}

/** The private key of a cluster that has its place. */
export function openTlsKey(cipher: Cipher, { id, tls_key_id: keyId, sealed_tls_key: box }: TlsRow): string {
  if (keyId === null || box === null) throw new Error(`cluster ${id} has no place yet`);
  return cipher.open({ keyId, box }, contextOf(id));
}

/** Encrypts what is under another key anew under the current one. @returns how many there were */
export async function resealTlsKeys(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await lockTlsNotUnder(tx, cipher.currentKeyId);
  for (const row of rows)
    await setTlsKey(tx, { id: row.id, ...sealTlsKey(cipher, row.id, openTlsKey(cipher, row)) });
  return rows.length;
}
