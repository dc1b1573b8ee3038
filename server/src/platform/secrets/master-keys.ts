import type { Db, Tx } from '../database/db.ts';
import { StartError } from '../database/embedded/index.ts';
import { sql } from '../database/sql.ts';
import { Cipher } from './cipher.ts';
import { keyFile, newKey, readKeyFile, writeKeyFile } from './key-file.ts';

export interface MasterKeyOptions {
  readonly db: Db;
  /** From the configuration; empty: the data directory keeps them. */
  readonly configured: readonly Buffer[];
  readonly dataDir: string;
  readonly timestamp: string;
}

/** The cipher for what is kept encrypted. The first start makes a key when the configuration has none.
 *  @throws StartError when the database holds values under a key that is not here */
export async function openCipher({ db, configured, dataDir, timestamp }: MasterKeyOptions): Promise<Cipher> {
  return db.transaction(async (tx) => {
    await lockMasterKeys(tx);
    const known = await readKeyIds(tx);
    const cipher = new Cipher(configured.length > 0 ? configured : localKeys(dataDir, known));
    const missing = known.filter((id) => !cipher.keyIds.includes(id));
    if (missing.length > 0) throw new StartError(missingKeys(missing, configured.length > 0, dataDir));
    await addKeyId(tx, cipher.currentKeyId, timestamp);
    return cipher;
  });
}

function localKeys(dataDir: string, known: readonly string[]): readonly Buffer[] {
  const kept = readKeyFile(dataDir);
  if (kept.length > 0) return kept;
  if (known.length > 0) throw new StartError(missingKeys(known, false, dataDir));
  const keys = [newKey()];
  writeKeyFile(dataDir, keys);
  return keys;
}

function missingKeys(ids: readonly string[], configured: boolean, dataDir: string): string {
  const scope = configured ? 'VIRGA_MASTER_KEY' : keyFile(dataDir);
  return `The database holds secrets under the master key ${ids.join(', ')}, which is not in ${scope}: put it there`;
}

/** Nodes that start together, and a rotation, take turns. */
export async function lockMasterKeys(tx: Tx): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(72116)`);
}

async function readKeyIds(tx: Tx): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`select id from master_keys order by id`);
  return rows.map(({ id }) => id);
}

export async function addKeyId(tx: Tx, id: string, timestamp: string): Promise<void> {
  await tx.run(
    sql`insert into master_keys (id, added_at) values (${id}, ${timestamp}) on conflict do nothing`,
  );
}
