import type { Tx } from './db.ts';

/** Where a row must be. */
interface Where {
  readonly id: string;
  readonly projectId: number;
  readonly regionId: number;
}

/** A table whose rows tasks hold, by `task_id`. */
export interface HeldTable {
  /** Locks a row until the transaction ends. What it says has to be read after this.
   *  @returns false when there is none */
  lock(tx: Tx, where: Where): Promise<boolean>;
  /** Gives the row to a task; null: takes it back. The row is locked. */
  hold(tx: Tx, id: string, taskId: string | null): Promise<void>;
  /** Ends a task's hold on whatever rows it holds. */
  release(tx: Tx, taskId: string): Promise<void>;
  /** Removes a row that the task holds.
   *  @returns false when there was none */
  deleteHeld(tx: Tx, id: string, taskId: string): Promise<boolean>;
}

export const heldTable = (table: string): HeldTable => ({
  lock: async (tx, { id, projectId, regionId }) => {
    const rows = await tx.named(
      `${table}_lock_row`,
      `select 1 from ${table} where id = $1 and project_id = $2 and region_id = $3 for update`,
      [id, projectId, regionId],
    );
    return rows.length > 0;
  },
  hold: async (tx, id, taskId) => {
    await tx.named(`${table}_hold_row`, `update ${table} set task_id = $2 where id = $1`, [id, taskId]);
  },
  release: async (tx, taskId) => {
    await tx.named(`${table}_release_rows`, `update ${table} set task_id = null where task_id = $1`, [
      taskId,
    ]);
  },
  deleteHeld: async (tx, id, taskId) => {
    const rows = await tx.named(
      `${table}_delete_held`,
      `delete from ${table} where id = $1 and task_id = $2 returning 1`,
      [id, taskId],
    );
    return rows.length > 0;
  },
});
