import type { Tx } from '../database/db.ts';
import { StartError } from '../database/embedded/index.ts';
import { sql } from '../database/sql.ts';
import { Cipher } from './cipher.ts';
import { newKey, readKeyFile, writeKeyFile } from './key-file.ts';
import { addKeyId, lockMasterKeys, type MasterKeyOptions, openCipher } from './master-keys.ts';

/** Encrypts all values of one feature anew under the current key, in the given transaction.
 *  @returns how many there were */
export type Reseal = (tx: Tx, cipher: Cipher) => Promise<number>;

export interface Rotation {
  readonly values: number;
  readonly keyId: string;
}

/**
 * Encrypts every value under the newest key and forgets the older ones, all in one transaction.
 *
 * Keys of the data directory: a new one is made. It is in the file before anything is encrypted under it, and
 * the old one stays in the file until nothing needs it, so that an end at any moment loses nothing and
 * repeating completes it. Keys of the configuration: the first of the list is the new one.
 * @throws StartError when the configuration holds one key only
 */
export async function rotateKeys(options: MasterKeyOptions, resealers: readonly Reseal[]): Promise<Rotation> {
  const { db, configured, dataDir, timestamp } = options;
  if (configured.length === 1) {
    throw new StartError('VIRGA_MASTER_KEY must hold the new key, a comma and the old one');
  }
  await openCipher(options);
  const own = configured.length === 0;
  const keys = own ? [newKey(), ...readKeyFile(dataDir)] : configured;
  if (own) writeKeyFile(dataDir, keys);
  const cipher = new Cipher(keys);
  const values = await db.transaction(async (tx) => {
    await lockMasterKeys(tx);
    await addKeyId(tx, cipher.currentKeyId, timestamp);
    let count = 0;
    for (const reseal of resealers) count += await reseal(tx, cipher);
    await tx.run(sql`delete from master_keys where id <> ${cipher.currentKeyId}`);
    return count;
  });
  if (own) writeKeyFile(dataDir, keys.slice(0, 1));
  return { values, keyId: cipher.currentKeyId };
}
