import { Locked, NotFound } from '../../kernel/errors.ts';
import type { Place } from '../http/context.ts';
import { isMeteredTable, usageEnded } from '../usage/usage-sql.ts';
import type { Queryable, Tx } from './db.ts';

/** Rows of a project's part of a region, which tasks hold: `task_id` names the task. */
export interface HeldTable<Row> {
  /** @throws NotFound */
  read(db: Queryable, id: string, place: Place): Promise<Row>;
  /** The row, locked against every other change until the transaction ends. @throws NotFound */
  lock(tx: Tx, id: string, place: Place): Promise<Row>;
  /** The same, when no task holds it. @throws NotFound, Locked naming the task that holds it */
  lockFree(tx: Tx, id: string, place: Place): Promise<Row>;
  /** Those of these rows that the project may use, in their order; none is deleted before the transaction ends. */
  keep(tx: Queryable, ids: readonly string[], place: Place): Promise<Row[]>;
  /** Those of these rows that exist, of whatever project, in any order. */
  readMany(db: Queryable, ids: readonly string[]): Promise<Row[]>;
  /** The row while the task holds it. */
  readHeld(db: Queryable, id: string, taskId: string): Promise<Row | undefined>;
  /** All that the task holds, in the table's `order`. */
  readAllHeld(db: Queryable, taskId: string): Promise<Row[]>;
  /** Gives the row to a task; null: releases it. The row is locked. */
  hold(tx: Tx, id: string, taskId: string | null): Promise<void>;
  /** Ends a task's hold on whatever rows it holds. */
  release(tx: Tx, taskId: string): Promise<void>;
  /** Removes a row that the task holds.
   *  @returns false when there was none */
  deleteHeld(tx: Tx, id: string, taskId: string): Promise<boolean>;
}

/** What ends a task's hold of a row, see `holdOf`. */
export interface Hold {
  readonly id: string;
  readonly taskId: string;
  readonly timestamp: string;
}

export interface Shown {
  /** What is read of a row, which is called `alias` there, and of what is joined to it. */
  readonly columns: string;
  readonly alias: string;
  readonly joins?: string;
  /** The column of a row's id; default: `id`. */
  readonly key?: string;
  /** The column by which `read` and `lock` find a row, if it is not the key: `name`. */
  readonly findBy?: string;
  /** Of `readAllHeld`; default: none. */
  readonly order?: string;
  /** The columns come from other tables, too, which may change while a lock is waited for: they are read after it. */
  readonly readAfterLock?: true;
  /** Rows without a project are the region's: all its projects may read and keep them. */
  readonly shared?: true;
}

/** @param kind as the start of a sentence: "Volume"
 *  @throws Locked naming the task that holds the row */
export function requireFree(
  kind: string,
  { id, task_id }: { readonly id: string | number; readonly task_id: string | null },
): void {
  if (task_id !== null) throw new Locked(`${kind} ${id}`, task_id);
}

/** @param kind as the start of a sentence: "Volume" */
export function heldTable<Row extends { readonly task_id: string | null }>(
  table: string,
  kind: string,
  shown: Shown,
): HeldTable<Row> {
  const found = findingRows<Row>(table, kind, shown);
  return {
    ...found,
    lockFree: async (tx, id, place) => {
      const row = await found.lock(tx, id, place);
      requireFree(kind, { id, task_id: row.task_id });
      return row;
    },
    ...holdingRows<Row>(table, shown),
  };
}

type Finding = 'read' | 'lock' | 'keep' | 'readMany';

function findingRows<Row>(table: string, kind: string, shown: Shown): Pick<HeldTable<Row>, Finding> {
  const { columns, alias, joins = '', key = 'id', findBy = key, readAfterLock, shared } = shown;
  const own = `${alias}.project_id = $2 and ${alias}.region_id = $3`;
  const usable = shared
    ? `${alias}.region_id = $3 and (${alias}.project_id = $2 or ${alias}.project_id is null)`
    : own;
  const from = `from ${table} ${alias} ${joins}`;
  const readText = `select ${columns} ${from} where ${alias}.${findBy} = $1 and ${usable}`;
  const lockText = `select ${readAfterLock ? '1' : columns} ${from} where ${alias}.${findBy} = $1 and ${own}
    for update of ${alias}`;
  const keepText = `select ${columns} ${from} where ${alias}.${key} = any($1::uuid[]) and ${usable}
    order by ${alias}.${key} for share of ${alias}`;
  const missing = (id: string) => new NotFound(`${kind} ${id} was not found`);
  const read: HeldTable<Row>['read'] = async (db, id, { projectId, regionId }) => {
    const row = await db.namedRow<Row>(`${table}_read_row`, readText, [id, projectId, regionId]);
    if (!row) throw missing(id);
    return row;
  };
  return {
    read,
    lock: async (tx, id, place) => {
      const { projectId, regionId } = place;
      if (readAfterLock) {
        if (!(await tx.namedAny(`${table}_lock_row`, lockText, [id, projectId, regionId]))) throw missing(id);
        return read(tx, id, place);
      }
      const row = await tx.namedRow<Row>(`${table}_lock_shown_row`, lockText, [id, projectId, regionId]);
      if (!row) throw missing(id);
      return row;
    },
    keep: async (tx, ids, { projectId, regionId }) =>
      ids.length === 0
        ? []
        : tx.named<Row>(`${table}_keep_rows`, keepText, [[...new Set(ids)], projectId, regionId]),
    readMany: async (db, ids) =>
      ids.length === 0
        ? []
        : db.named<Row>(
            `${table}_read_rows`,
            `select ${columns} ${from} where ${alias}.${key} = any($1::uuid[])`,
            [[...new Set(ids)]],
          ),
  };
}

type Holding = 'readHeld' | 'readAllHeld' | 'hold' | 'release' | 'deleteHeld';

function holdingRows<Row>(
  table: string,
  { columns, alias, joins = '', key = 'id', order }: Shown,
): Pick<HeldTable<Row>, Holding> {
  const rows = `select ${columns} from ${table} ${alias} ${joins} where`;
  const heldText = `${rows} ${alias}.${key} = $1 and ${alias}.task_id = $2`;
  const allText = `${rows} ${alias}.task_id = $1 ${order === undefined ? '' : `order by ${order}`}`;
  return {
    readHeld: (db, id, taskId) => db.namedRow<Row>(`${table}_held_row`, heldText, [id, taskId]),
    readAllHeld: (db, taskId) => db.named<Row>(`${table}_held_rows`, allText, [taskId]),
    hold: async (tx, id, taskId) => {
      await tx.named(`${table}_hold_row`, `update ${table} set task_id = $2 where ${key} = $1`, [id, taskId]);
    },
    release: async (tx, taskId) => {
      await tx.named(`${table}_release_rows`, `update ${table} set task_id = null where task_id = $1`, [
        taskId,
      ]);
    },
    deleteHeld: async (tx, id, taskId) => {
      return tx.namedAny(
        `${table}_delete_held`,
        isMeteredTable(table)
          ? `with gone as (delete from ${table} where ${key} = $1 and task_id = $2 returning *),
                  ${usageEnded(table, 'gone')}
             select from gone`
          : `delete from ${table} where ${key} = $1 and task_id = $2 returning 1`,
        [id, taskId],
      );
    },
  };
}
