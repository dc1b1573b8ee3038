import type { Db, Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import { usageEnded } from '../../../platform/usage/usage-sql.ts';

/** Writes another flavor as a new version; null is the default one. */
export async function changeFlavor(
  tx: Tx,
  id: string,
  flavor: string | null,
  timestamp: string,
): Promise<void> {
  const resized = sql`(select * from load_balancers where id = ${id} and flavor is distinct from ${flavor})`;
  await tx.run(sql`
    with ${usageEnded('load_balancers', resized)}
    update load_balancers set flavor = ${flavor}, version = version + 1, updated_at = ${timestamp} where id = ${id}`);
}

/** Puts a flavor back as yet another version, once: `changed` is the version that is undone. */
export async function restoreFlavor(
  db: Db,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
  flavor: string | null,
): Promise<void> {
  const held = sql`id = ${id} and task_id = ${taskId} and version = ${changed}`;
  await db.run(sql`
    with ${usageEnded('load_balancers', sql`(select * from load_balancers where ${held})`)}
    update load_balancers set flavor = ${flavor}, version = version + 1 where ${held}`);
}
