import type { Tx } from '../platform/database/db.ts';

/** Nodes that start together take turns, until the end of the transaction. */
export async function waitForTurn(tx: Tx): Promise<void> {
  await tx.named('first_run_lock', 'select pg_advisory_xact_lock(72114)', []);
}
