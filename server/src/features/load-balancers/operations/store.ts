import type { Db, Tx } from '../../../platform/database/db.ts';
import { usageEnded } from '../../../platform/usage/usage-sql.ts';

/** Writes another flavor as a new version; null is the default one. */
export async function changeFlavor(
  tx: Tx,
  id: string,
  flavor: string | null,
  timestamp: string,
): Promise<void> {
  await tx.named(
    'lb_change_flavor',
    `with ${usageEnded('load_balancers', '(select * from load_balancers where id = $1 and flavor is distinct from $2)')}
     update load_balancers set flavor = $2, version = version + 1, updated_at = $3 where id = $1`,
    [id, flavor, timestamp],
  );
}

/** Puts a flavor back as yet another version, once: `changed` is the version that is undone. */
export async function restoreFlavor(
  db: Db,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
  flavor: string | null,
): Promise<void> {
  await db.named(
    'lb_restore_flavor',
    `with ${usageEnded('load_balancers', '(select * from load_balancers where id = $1 and task_id = $3 and version = $4)')}
     update load_balancers set flavor = $2, version = version + 1 where id = $1 and task_id = $3 and version = $4`,
    [id, flavor, taskId, changed],
  );
}
