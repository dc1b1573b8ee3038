import type { Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { lockTlsNotUnder, setTlsKey, type TlsRow } from './cluster-store.ts';

/** The private keys of clusters, which are kept encrypted. */

const contextOf = (id: string) => `postgresql_clusters/${id}/tls`;

export function sealTlsKey(cipher: Cipher, id: string, privateKey: string) {
  const { keyId, box } = cipher.seal(privateKey, contextOf(id));
  return { tls_key_id: keyId, sealed_tls_key: box };
}

/** The private key of a cluster that has its host. */
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
