import { colonTime, nullable } from '../../kernel/codecs.ts';
import type { SecretKind } from './material.ts';
import type { SecretRow } from './store.ts';

/** In the words of the wire: what a kind is, and in which format it is kept. */
const WIRE: Readonly<Record<SecretKind, { type: 'certificate' | 'opaque'; contentType: string }>> = {
  certificate: { type: 'certificate', contentType: 'application/pem-certificate-chain' },
  authorities: { type: 'certificate', contentType: 'application/pem-certificate-chain' },
  revocations: { type: 'opaque', contentType: 'application/x-pem-file' },
};

/** What of a secret is shown: never what it holds. */
export function viewSecret(row: SecretRow) {
  const { type, contentType } = WIRE[row.kind];
  return {
    id: row.id,
    name: row.name,
    secret_type: type,
    status: row.status,
    algorithm: row.algorithm,
    bit_length: row.bit_length,
    mode: null,
    content_types: { default: contentType },
    created: colonTime(row.created_at),
    expiration: nullable(colonTime)(row.expiration),
  };
}
