import { X509Certificate } from 'node:crypto';
import type { Faults } from '../../kernel/faults.ts';
import { loadX509 } from '../../platform/x509/library.ts';
import { day, type Material } from './material.ts';
import { pemBlocks } from './pem.ts';
import type { SecretPayload } from './schema.ts';

/** Certificates of a PEM text that has nothing else; none of them may have expired. */
export function readCertificates(
  text: string,
  field: 'certificate' | 'certificate_chain',
  now: Date,
  faults: Faults,
): X509Certificate[] {
  const blocks = pemBlocks(text);
  if (blocks.length === 0) {
    faults.add(
      `payload.${field}`,
      field === 'certificate' ? 'must be a certificate in PEM' : 'must be certificates in PEM',
    );
    return [];
  }
  return blocks.flatMap(({ label, text: block }, index) => {
    const which = blocks.length === 1 ? '' : `certificate ${index + 1} `;
    const certificate = label === 'CERTIFICATE' ? parse(block) : undefined;
    if (!certificate) {
      faults.add(`payload.${field}`, `${which}is not a certificate in PEM that can be read`);
      return [];
    }
    const end = new Date(certificate.validTo);
    if (end <= now) faults.add(`payload.${field}`, `${which}expired on ${day(end)}`);
    return [certificate];
  });
}

function parse(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** Certificates of authorities, to verify members against. */
export function inspectAuthorities(payload: SecretPayload, now: Date, faults: Faults): Material {
  const more = payload.certificate_chain.trim() !== '';
  const all = [
    ...readCertificates(payload.certificate, 'certificate', now, faults),
    ...(more ? readCertificates(payload.certificate_chain, 'certificate_chain', now, faults) : []),
  ];
  faults.refuse();
  return {
    kind: 'authorities',
    algorithm: null,
    bitLength: null,
    names: subjectsOf(all),
    notAfter: new Date(Math.max(...all.map(({ validTo }) => Date.parse(validTo)))),
    content: { certificate: all.map(String).join(''), chain: null, privateKey: null, revocations: null },
  };
}

/** Names of the certificates in a PEM text, as revocation lists write their issuers. */
export function subjectsOf(certificates: readonly X509Certificate[]): string[] {
  const x509 = loadX509();
  return certificates.map((each) => new x509.X509Certificate(each.raw).subject);
}

/** Whether a certificate may issue others, and how many authorities may be between it and the last one.
 *  As OpenSSL: without basic constraints, a key usage may allow it, and roots of version 1 may do all. */
export function authorityOf(certificate: X509Certificate): { mayIssue: boolean; pathLength: number } {
  const x509 = loadX509();
  const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags } = x509;
  const parsed = new x509.X509Certificate(certificate.raw);
  const constraints = parsed.getExtension(BasicConstraintsExtension);
  const usages = parsed.getExtension(KeyUsagesExtension)?.usages;
  const maySign = usages !== undefined && (usages & KeyUsageFlags.keyCertSign) !== 0;
  const pathLength = constraints?.pathLength ?? Number.POSITIVE_INFINITY;
  if (constraints) return { mayIssue: constraints.ca && (usages === undefined || maySign), pathLength };
  const isOldRoot = isVersion1(certificate.raw) && certificate.checkIssued(certificate);
  return { mayIssue: maySign || isOldRoot, pathLength };
}

/** The version is the first field within, and only that of the first version is left out. */
function isVersion1(der: Buffer): boolean {
  const VERSION = 0xa0;
  return der[contentOf(der, contentOf(der, 0))] !== VERSION;
}

/** Where the content of what begins here begins: after a byte of its type and its length. */
function contentOf(der: Buffer, start: number): number {
  const length = der[start + 1] ?? 0;
  return start + 2 + (length > 0x7f ? length - 0x80 : 0);
}
