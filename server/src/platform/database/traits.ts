import type { StoredTags } from '../http/tags.ts';
import type { Tx } from './db.ts';
import { raw, sql } from './sql.ts';

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
  await tx.run(
    sql`update ${raw(table)} set name = ${name}, tags = ${JSON.stringify(tags)}, updated_at = ${timestamp} where id = ${id}`,
  );
}
