import { Locked } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import { deleted, externalAddresses } from './store.ts';

/** Reserved fixed IPs that go together with what has them, in the hold of the task that deletes both. */

/** Gives reserved fixed IPs, whose device the caller has locked, to the task that deletes it.
 *  @throws Locked when another task holds one */
export async function holdReservedIps(tx: Tx, ids: readonly string[], taskId: string): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tx.rows<{ port_id: string; task_id: string | null }>(
    sql`select port_id, task_id from reserved_fixed_ips where port_id = any(${ids}::uuid[]) order by port_id for update`,
  );
  for (const { port_id, task_id } of rows) {
    if (task_id !== null) throw new Locked(`Reserved fixed IP ${port_id}`, task_id);
  }
  await tx.run(sql`update reserved_fixed_ips set task_id = ${taskId} where port_id = any(${ids}::uuid[])`);
}

/** Removes those that the task holds, once nothing has them.
 *  @returns how many of `external_ip_count` are free now, for the caller to release */
export async function dropReservedIps(tx: Tx, taskId: string): Promise<number> {
  const rows = await tx.rows<{ is_dual: boolean; is_external: boolean }>(
    deleted(sql`task_id = ${taskId}`, sql`is_external, additional_subnet_id is not null as is_dual`),
  );
  return rows.reduce((sum, row) => sum + (row.is_external ? externalAddresses(row.is_dual) : 0), 0);
}
