import type { Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { newPassword, verifierOf } from './scram.ts';
import { lockSealedNotUnder, reseal, type UserRow } from './user-store.ts';

/** Passwords as they are kept until they are shown: encrypted, each for its user alone. */

const contextOf = (clusterId: string, name: string) => `postgresql_users/${clusterId}/${name}`;

function sealed(cipher: Cipher, clusterId: string, name: string, password: string) {
  const { keyId, box } = cipher.seal(password, contextOf(clusterId, name));
  return { cluster_id: clusterId, name, key_id: keyId, sealed_password: box };
}

/** A new user's credentials. */
export async function newCredentials(
  cipher: Cipher,
  clusterId: string,
  name: string,
): Promise<Omit<UserRow, 'next_verifier'>> {
  const password = newPassword();
  return { ...sealed(cipher, clusterId, name, password), verifier: await verifierOf(password) };
}

/** The password; undefined once it was shown. */
export function openPassword(cipher: Cipher, user: UserRow): string | undefined {
  if (user.key_id === null || user.sealed_password === null) return undefined;
  const box = { keyId: user.key_id, box: user.sealed_password };
  return cipher.open(box, contextOf(user.cluster_id, user.name));
}

/** Encrypts what is under another key anew under the current one. @returns how many there were */
export async function resealPasswords(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await lockSealedNotUnder(tx, cipher.currentKeyId);
  for (const row of rows) {
    const password = openPassword(cipher, row);
    if (password !== undefined)
      await reseal(tx, { ...row, ...sealed(cipher, row.cluster_id, row.name, password) });
  }
  return rows.length;
}
