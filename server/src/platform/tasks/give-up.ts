import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/** SQL of tasks that somebody ends. */

/** Has a task undone by another run, as if its deadline had passed: what the present one finds out is void.
 *  @returns false when it has ended, or is being undone already */
export const undoTask = (
  tx: Tx,
  { id, reason, timestamp }: { readonly id: string; readonly reason: string; readonly timestamp: string },
): Promise<boolean> =>
  tx.any(sql`update tasks_active set failure = ${reason}, state = 'RUNNING', attempt = attempt + 1, retries = 0, run_at = now(),
            lease_until = null, updated_at = ${timestamp}::timestamptz, change = next_task_change()
      where id = ${id} and finished_at is null and failure is null returning id`);

/** Ends a task at once, whatever it has begun: nothing is undone.
 *  @returns false when it has ended already */
export const endTask = (
  tx: Tx,
  { id, reason, timestamp }: { readonly id: string; readonly reason: string; readonly timestamp: string },
): Promise<boolean> =>
  tx.any(sql`update tasks set state = 'ERROR', failure = coalesce(failure, ${reason}), error = coalesce(failure, ${reason}),
            created_resources = null, step = null, attempt = attempt + 1, lease_until = null,
            updated_at = ${timestamp}::timestamptz, finished_at = ${timestamp}::timestamptz, change = next_task_change()
      where id = ${id} and finished_at is null returning id`);
