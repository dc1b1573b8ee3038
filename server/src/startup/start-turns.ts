import type { Tx } from '../platform/database/db.ts';
import { sql } from '../platform/database/sql.ts';

/** Nodes that start together take turns, until the end of the transaction. */
export async function waitForTurn(tx: Tx): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(72114)`);
}
