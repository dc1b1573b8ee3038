import type { Cipher } from '../../platform/secrets/cipher.ts';
import { openTlsKey } from './certificates.ts';
import { settingsOf } from './flavors.ts';
import type { ClusterRow, ClusterSpec } from './model.ts';
import type { DesiredCluster } from './port.ts';
import type { UserRow } from './user-store.ts';

/** A cluster that has its host, and what its servers prove themselves with there. */
export type HostedCluster = ClusterRow & { readonly host: string; readonly server_certificate: string };

export const hasHost = (row: ClusterRow): row is HostedCluster =>
  row.host !== null && row.server_certificate !== null;

/** What a provider gets to know of it. */
export function desiredOf(
  cipher: Cipher,
  row: HostedCluster,
  spec: ClusterSpec,
  users: readonly UserRow[],
): DesiredCluster {
  const named = new Set(spec.users.map((user) => user.name));
  return {
    ...spec,
    id: row.id,
    name: row.name,
    host: row.host,
    backups: row.backups,
    flavorSettings: settingsOf(spec.flavor),
    tls: { certificate: row.server_certificate, privateKey: openTlsKey(cipher, row) },
    verifiers: Object.fromEntries(
      users.filter((user) => named.has(user.name)).map((user) => [user.name, user.verifier]),
    ),
  };
}
