import type { Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { ClientCertificate, Issued } from './certificates.ts';
import { lockSealedKeys, setClientCertificate } from './cluster-store.ts';
import type { ClusterRow } from './model.ts';

/** Private keys of clusters, as they are kept: encrypted, each for its cluster and purpose alone. */

const contextOf = (clusterId: string, purpose: 'ca' | 'client') => `k8s_clusters/${clusterId}/${purpose}`;

export function sealKeys(cipher: Cipher, clusterId: string, ca: Issued, client: Issued) {
  const sealedCa = cipher.seal(ca.privateKey, contextOf(clusterId, 'ca'));
  const sealedClient = cipher.seal(client.privateKey, contextOf(clusterId, 'client'));
  return { keyId: sealedCa.keyId, sealedCaKey: sealedCa.box, sealedClientKey: sealedClient.box };
}

export function openAuthority(cipher: Cipher, row: ClusterRow): Issued {
  const sealed = { keyId: row.key_id, box: row.sealed_ca_key };
  return { certificate: row.ca_certificate, privateKey: cipher.open(sealed, contextOf(row.id, 'ca')) };
}

export function openClient(cipher: Cipher, row: ClusterRow): ClientCertificate {
  const sealed = { keyId: row.key_id, box: row.sealed_client_key };
  return {
    certificate: row.client_certificate,
    privateKey: cipher.open(sealed, contextOf(row.id, 'client')),
    createdAt: row.kubeconfig_created_at,
    expiresAt: row.kubeconfig_expires_at,
  };
}

export async function storeClient(
  tx: Tx,
  cipher: Cipher,
  row: ClusterRow,
  client: ClientCertificate,
): Promise<void> {
  await setClientCertificate(tx, row.id, {
    ...sealKeys(cipher, row.id, openAuthority(cipher, row), client),
    certificate: client.certificate,
    createdAt: client.createdAt,
    expiresAt: client.expiresAt,
  });
}

/** Encrypts the keys of every cluster under the current master key.
 *  @returns how many there were */
export async function resealClusterKeys(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await lockSealedKeys(tx);
  for (const row of rows) await storeClient(tx, cipher, row, openClient(cipher, row));
  return rows.length * 2;
}
