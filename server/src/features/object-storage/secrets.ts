import { randomBytes } from 'node:crypto';
import type { Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { KeyRow } from './model.ts';
import * as parts from './parts-store.ts';

/** Access keys and their secrets, which are kept encrypted, each for its key alone. */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ACCESS_KEY_LETTERS = 20;
const SECRET_BYTES = 30;

const contextOf = (accessKey: string) => `object_storage_keys/${accessKey}`;

/** As long, and of such letters, as tools expect of them. */
export const newAccessKey = (): string =>
  [...randomBytes(ACCESS_KEY_LETTERS)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

export function sealSecret(cipher: Cipher, accessKey: string, secret: string) {
  const { keyId, box } = cipher.seal(secret, contextOf(accessKey));
  return { access_key: accessKey, key_id: keyId, sealed_secret: box };
}

export const openSecret = (cipher: Cipher, key: Pick<KeyRow, 'access_key' | 'key_id' | 'sealed_secret'>) =>
  cipher.open({ keyId: key.key_id, box: key.sealed_secret }, contextOf(key.access_key));

/** Encrypts what is under another key anew under the current one. @returns how many there were */
export async function resealSecrets(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await parts.lockKeysNotUnder(tx, cipher.currentKeyId);
  for (const row of rows) {
    await parts.resealKey(tx, sealSecret(cipher, row.access_key, openSecret(cipher, row)));
  }
  return rows.length;
}
