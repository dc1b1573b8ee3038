import type { StoredTags } from '../http/tags.ts';
import type { Tx } from './db.ts';

/** What projects say of a resource. */
export interface Traits {
  readonly name: string;
  readonly tags: StoredTags;
}

/** Changes it at once. */
export async function changeTraits(
  tx: Tx,
  table: 'instances' | 'volumes' | 'volume_snapshots',
  { id, name, tags, timestamp }: Traits & { readonly id: string; readonly timestamp: string },
): Promise<void> {
  const text = `update ${table} set name = $2, tags = $3, updated_at = $4 where id = $1`;
  await tx.named(`${table}_change`, text, [id, name, JSON.stringify(tags), timestamp]);
}
