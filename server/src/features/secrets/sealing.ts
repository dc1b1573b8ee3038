import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { SecretContent } from './material.ts';
import { lockSealedNotUnder, readSealed, reencryptSecret } from './store.ts';

/** Where a value belongs; a value copied to another row does not open there. */
const contextOf = (id: string) => `secrets/${id}`;

export function seal(cipher: Cipher, id: string, content: SecretContent) {
  const { keyId, box } = cipher.seal(JSON.stringify(content), contextOf(id));
  return { key_id: keyId, sealed: box };
}

/** Encrypts what is under another key anew under the current one. */
export async function resealSecrets(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await lockSealedNotUnder(tx, cipher.currentKeyId);
  for (const row of rows) {
    const plain = cipher.open({ keyId: row.key_id, box: row.sealed }, contextOf(row.id));
    const { keyId, box } = cipher.seal(plain, contextOf(row.id));
    await reencryptSecret(tx, { id: row.id, key_id: keyId, sealed: box });
  }
  return rows.length;
}

/** Opens secrets for those who serve with them: workers, never an answer of the API. */
export class SecretReader {
  readonly #cipher: Cipher;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  /** What these secrets hold; one that does not exist, or does not open under any master key, is absent. */
  async open(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, SecretContent>> {
    const opened = new Map<string, SecretContent>();
    if (ids.length === 0) return opened;
    for (const { id, key_id, sealed } of await readSealed(db, [...new Set(ids)])) {
      const content = this.#open(id, { keyId: key_id, box: sealed });
      if (content) opened.set(id, content);
    }
    return opened;
  }

  #open(id: string, sealed: { keyId: string; box: Buffer }): SecretContent | undefined {
    try {
      return JSON.parse(this.#cipher.open(sealed, contextOf(id))) as SecretContent;
    } catch {
      return undefined;
    }
  }
}
