import type { Queryable, Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { FirstBoot } from './port.ts';

/** What an instance is given once: user data, user name and password. They are kept encrypted, for this instance alone,
 *  until it is there, and shown to nobody. */

interface SealedRow {
  readonly instance_id: string;
  readonly key_id: string;
  readonly box: Buffer;
}

const contextOf = (instanceId: string) => `instances/${instanceId}/first-boot`;

export async function keepFirstBoot(
  tx: Tx,
  cipher: Cipher,
  instanceId: string,
  first: FirstBoot,
): Promise<void> {
  const { keyId, box } = cipher.seal(JSON.stringify(first), contextOf(instanceId));
  await tx.run(
    sql`insert into instance_first_boots (instance_id, key_id, box) values (${instanceId}, ${keyId}, ${box})`,
  );
}

export async function readFirstBoot(
  db: Queryable,
  cipher: Cipher,
  instanceId: string,
): Promise<FirstBoot | null> {
  const [row] = await db.rows<SealedRow>(
    sql`select instance_id, key_id, box from instance_first_boots where instance_id = ${instanceId}`,
  );
  if (!row) return null;
  return JSON.parse(cipher.open({ keyId: row.key_id, box: row.box }, contextOf(instanceId))) as FirstBoot;
}

export async function forgetFirstBoot(tx: Tx, instanceId: string): Promise<void> {
  await tx.run(sql`delete from instance_first_boots where instance_id = ${instanceId}`);
}

/** Encrypts what is kept under the current master key.
 *  @returns how many there were */
export async function resealFirstBoots(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await tx.rows<SealedRow>(
    sql`select instance_id, key_id, box from instance_first_boots where key_id <> ${cipher.currentKeyId} for update`,
  );
  for (const { instance_id, key_id, box } of rows) {
    const context = contextOf(instance_id);
    const sealed = cipher.seal(cipher.open({ keyId: key_id, box }, context), context);
    await tx.run(
      sql`update instance_first_boots set key_id = ${sealed.keyId}, box = ${sealed.box} where instance_id = ${instance_id}`,
    );
  }
  return rows.length;
}
