import type { Cipher } from '../../platform/secrets/cipher.ts';
import { type BucketRow, desiredBucket, type StorageRow } from './model.ts';
import type { Parts } from './parts-store.ts';
import type { DesiredStorage } from './port.ts';
import { openSecret } from './secrets.ts';
import type { WithAddress } from './storage-tasks.ts';
import { tlsOf } from './tls.ts';

/** What a provider gets to know of a storage.
 *  @param when `before` the changes that its task makes, or `after` them */
export function desiredOf(
  cipher: Cipher,
  row: WithAddress<StorageRow>,
  { keys, buckets }: Parts,
  when: 'before' | 'after',
): DesiredStorage {
  const absent = when === 'after' ? 'delete' : 'create';
  const settingsOf = (bucket: BucketRow) => (when === 'after' ? (bucket.next ?? bucket) : bucket);
  return {
    id: String(row.id),
    address: row.address,
    tls: tlsOf(cipher, row),
    keys: keys
      .filter(({ pending }) => pending !== absent)
      .map((key) => ({
        accessKey: key.access_key,
        secret: openSecret(cipher, key),
        readOnly: key.read_only,
      })),
    buckets: buckets
      .filter(({ pending }) => pending !== absent)
      .map((bucket) => desiredBucket(bucket.name, settingsOf(bucket))),
  };
}

/** Buckets that go. @param when see `desiredOf` */
export function retractedOf({ buckets }: Parts, when: 'before' | 'after'): string[] {
  const absent = when === 'after' ? 'delete' : 'create';
  return buckets.filter(({ pending }) => pending === absent).map(({ name }) => name);
}
