import { Locked, NotFound } from '../../kernel/errors.ts';
import type { Scope } from '../http/context.ts';
import { isMeteredTable, usageEnded } from '../usage/usage-sql.ts';
import type { Queryable, Tx } from './db.ts';
import { empty, raw, type Sql, sql } from './sql.ts';

/** Rows of a project's part of a region, which tasks hold: `task_id` names the task. */
export interface HeldTable<Row> {
  /** @throws NotFound */
  read(db: Queryable, id: string, scope: Scope): Promise<Row>;
  /** The row, locked against every other change until the transaction ends. @throws NotFound */
  lock(tx: Tx, id: string, scope: Scope): Promise<Row>;
  /** The same, when no task holds it. @throws NotFound, Locked naming the task that holds it */
  lockFree(tx: Tx, id: string, scope: Scope): Promise<Row>;
  /** Those of these rows that the project may use, in their order; none is deleted before the transaction ends. */
  keep(tx: Queryable, ids: readonly string[], scope: Scope): Promise<Row[]>;
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
  readonly columns: Sql;
  readonly alias: string;
  readonly joins?: Sql;
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
    lockFree: async (tx, id, scope) => {
      const row = await found.lock(tx, id, scope);
      requireFree(kind, { id, task_id: row.task_id });
      return row;
    },
    ...holdingRows<Row>(table, shown),
  };
}

type Finding = 'read' | 'lock' | 'keep' | 'readMany';

function findingRows<Row>(table: string, kind: string, shown: Shown): Pick<HeldTable<Row>, Finding> {
  const { columns, key = 'id', findBy = key, readAfterLock, shared } = shown;
  const { t, from } = namesOf(table, shown);
  const own = ({ projectId, regionId }: Scope) =>
    sql`${t}.project_id = ${projectId} and ${t}.region_id = ${regionId}`;
  const usable = (scope: Scope) =>
    shared
      ? sql`${t}.region_id = ${scope.regionId} and (${t}.project_id = ${scope.projectId} or ${t}.project_id is null)`
      : own(scope);
  const missing = (id: string) => new NotFound(`${kind} ${id} was not found`);
  const found = (row: Row | undefined, id: string): Row => {
    if (!row) throw missing(id);
    return row;
  };
  const read: HeldTable<Row>['read'] = async (db, id, scope) =>
    found(
      await db.row<Row>(
        sql`select ${columns} ${from} where ${t}.${raw(findBy)} = ${id} and ${usable(scope)}`,
      ),
      id,
    );
  const locked = (what: Sql, id: string, scope: Scope) =>
    sql`select ${what} ${from} where ${t}.${raw(findBy)} = ${id} and ${own(scope)} for update of ${t}`;
  const isIn = (ids: readonly string[]) => sql`${t}.${raw(key)} = any(${[...new Set(ids)]}::uuid[])`;
  return {
    read,
    lock: async (tx, id, scope) => {
      if (!readAfterLock) return found(await tx.row<Row>(locked(columns, id, scope)), id);
      if (!(await tx.any(locked(sql`1`, id, scope)))) throw missing(id);
      return read(tx, id, scope);
    },
    keep: async (tx, ids, scope) =>
      ids.length === 0
        ? []
        : tx.rows<Row>(sql`select ${columns} ${from} where ${isIn(ids)} and ${usable(scope)}
            order by ${t}.${raw(key)} for share of ${t}`),
    readMany: async (db, ids) =>
      ids.length === 0 ? [] : db.rows<Row>(sql`select ${columns} ${from} where ${isIn(ids)}`),
  };
}

/** A row as its statements call it, and where they find it. */
function namesOf(table: string, { alias, joins = empty }: Shown) {
  const t = raw(alias);
  return { t, from: sql`from ${raw(table)} ${t} ${joins}` };
}

type Holding = 'readHeld' | 'readAllHeld' | 'hold' | 'release' | 'deleteHeld';

function holdingRows<Row>(table: string, shown: Shown): Pick<HeldTable<Row>, Holding> {
  const { columns, order } = shown;
  const { t, from } = namesOf(table, shown);
  const [rows, key] = [raw(table), raw(shown.key ?? 'id')];
  const inOrder = order === undefined ? empty : raw(`order by ${order}`);
  return {
    readHeld: (db, id, taskId) =>
      db.row<Row>(sql`select ${columns} ${from} where ${t}.${key} = ${id} and ${t}.task_id = ${taskId}`),
    readAllHeld: (db, taskId) =>
      db.rows<Row>(sql`select ${columns} ${from} where ${t}.task_id = ${taskId} ${inOrder}`),
    hold: (tx, id, taskId) => tx.run(sql`update ${rows} set task_id = ${taskId} where ${key} = ${id}`),
    release: (tx, taskId) => tx.run(sql`update ${rows} set task_id = null where task_id = ${taskId}`),
    deleteHeld: (tx, id, taskId) => {
      const deleted = sql`delete from ${rows} where ${key} = ${id} and task_id = ${taskId} returning`;
      return tx.any(
        isMeteredTable(table)
          ? sql`with gone as (${deleted} *), ${usageEnded(table, sql`gone`)} select from gone`
          : sql`${deleted} 1`,
      );
    },
  };
}
