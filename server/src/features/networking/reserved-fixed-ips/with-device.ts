import { Locked } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { deleted, externalAddresses } from './store.ts';

/** Reserved fixed IPs that go together with what has them, in the hold of the task that deletes both. */

/** Gives reserved fixed IPs, whose device the caller has locked, to the task that deletes it.
 *  @throws Locked when another task holds one */
export async function holdReservedIps(tx: Tx, ids: readonly string[], taskId: string): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tx.named<{ port_id: string; task_id: string | null }>(
    'reserved_lock_many',
    `select port_id, task_id from reserved_fixed_ips where port_id = any($1::uuid[]) order by port_id for update`,
    [ids],
  );
  for (const { port_id, task_id } of rows) {
    if (task_id !== null) throw new Locked(`Reserved fixed IP ${port_id}`, task_id);
  }
  await tx.named(
    'reserved_hold_many',
    'update reserved_fixed_ips set task_id = $2 where port_id = any($1::uuid[])',
    [ids, taskId],
  );
}

/** Removes those that the task holds, once nothing has them.
 *  @returns how many of `external_ip_count` are free now, for the caller to release */
export async function dropReservedIps(tx: Tx, taskId: string): Promise<number> {
  const rows = await tx.named<{ is_dual: boolean; is_external: boolean }>(
    'reserved_drop_many',
    deleted('task_id = $1', 'is_external, additional_subnet_id is not null as is_dual'),
    [taskId],
  );
  return rows.reduce((sum, row) => sum + (row.is_external ? externalAddresses(row.is_dual) : 0), 0);
}
