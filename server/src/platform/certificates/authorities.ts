import { X509Certificate } from 'node:crypto';
import type { CertificateInUse } from './watch.ts';

/** Authorities of clusters, of which those that may expire before a moment were read.
 *  @param rows `of`: the cluster in words */
export function authoritiesBefore(
  rows: readonly { readonly of: string; readonly ca_certificate: string }[],
  before: Date,
): readonly CertificateInUse[] {
  return rows
    .map(({ of, ca_certificate }) => ({
      use: 'authority' as const,
      of: `the authority of ${of}`,
      expiresAt: new Date(new X509Certificate(ca_certificate).validTo),
    }))
    .filter(({ expiresAt }) => expiresAt < before);
}
