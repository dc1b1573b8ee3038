import { Locked, NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from './db.ts';

interface Place {
  readonly projectId: number;
  readonly regionId: number;
}

/** A table whose rows tasks hold, by `task_id`. */
export interface HeldTable {
  /** Gives the row to a task; null: releases it. The row is locked. */
  hold(tx: Tx, id: string, taskId: string | null): Promise<void>;
  /** Ends a task's hold on whatever rows it holds. */
  release(tx: Tx, taskId: string): Promise<void>;
  /** Removes a row that the task holds.
   *  @returns false when there was none */
  deleteHeld(tx: Tx, id: string, taskId: string): Promise<boolean>;
}

export const heldTable = (table: string): HeldTable => ({
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

interface Held {
  readonly id: string | number;
  readonly task_id: string | null;
}

/** @param kind as the start of a sentence: "Volume"
 *  @throws Locked naming the task that holds the row */
export function requireFree(kind: string, { id, task_id }: Held): void {
  if (task_id !== null) throw new Locked(`${kind} ${id}`, task_id);
}

/** Rows of a project's part of a region, which tasks hold. */
export interface LockedTable<Row> extends HeldTable {
  /** @throws NotFound */
  read(db: Queryable, id: string, place: Place): Promise<Row>;
  /** The row, locked against every other change until the transaction ends. @throws NotFound */
  lock(tx: Tx, id: string, place: Place): Promise<Row>;
  /** The same, when no task holds it. @throws NotFound, Locked naming the task that holds it */
  lockFree(tx: Tx, id: string, place: Place): Promise<Row>;
}

export interface Shown {
  /** What is read of a row, which is called `alias` there. */
  readonly columns: string;
  readonly alias: string;
  /** The columns come from other tables, too, which may change while a lock is waited for: they are read after it. */
  readonly readAfterLock?: true;
}

/** @param kind as the start of a sentence: "Volume" */
export function lockedTable<Row extends Held>(
  table: string,
  kind: string,
  { columns, alias, readAfterLock }: Shown,
): LockedTable<Row> {
  const rest = `from ${table} ${alias}
    where ${alias}.id = $1 and ${alias}.project_id = $2 and ${alias}.region_id = $3`;
  const one = async (db: Queryable, name: string, text: string, id: string, place: Place): Promise<Row> => {
    const [row] = await db.named<Row>(`${table}_${name}`, text, [id, place.projectId, place.regionId]);
    if (!row) throw new NotFound(`${kind} ${id} was not found`);
    return row;
  };
  const read: LockedTable<Row>['read'] = (db, id, place) =>
    one(db, 'read_row', `select ${columns} ${rest}`, id, place);
  const lock: LockedTable<Row>['lock'] = async (tx, id, place) => {
    const locked = readAfterLock ? '1' : columns;
    const row = await one(tx, 'lock_row', `select ${locked} ${rest} for update of ${alias}`, id, place);
    return readAfterLock ? read(tx, id, place) : row;
  };
  return {
    ...heldTable(table),
    read,
    lock,
    lockFree: async (tx, id, place) => {
      const row = await lock(tx, id, place);
      requireFree(kind, row);
      return row;
    },
  };
}
