import type { Db, Tx } from '../database/db.ts';
import { raw, type Sql, sql } from '../database/sql.ts';

/** What becomes of the rows of a table whose task (`task_id`) is lost, or ended without releasing them. Every table with
 *  that column is looked after; the rows of one that is not named here are only released. */
export interface WhenLost {
  readonly table: string;
  /** Assignments of SQL: `status = 'ERROR'`. */
  readonly becomes: string;
  /** Tables whose rows change only while the task holds one of this table: they need no look of their own. */
  readonly parts?: readonly PartWhenLost[];
}

export interface PartWhenLost {
  readonly table: string;
  readonly becomes: string;
  /** Condition for its rows, by the ids of the tasks. Absent: those with such a `task_id`. */
  readonly where?: (tasks: readonly string[]) => Sql;
}

/** A row that was held by a task that has ended, or is gone. */
export interface LostLock {
  readonly table: string;
  readonly taskId: string;
  readonly rows: number;
}

/** Releases every row whose task has ended without doing so. */
export class Locks {
  readonly #db: Db;
  readonly #named: readonly WhenLost[];
  #tables: Promise<readonly WhenLost[]> | undefined;

  constructor(db: Db, named: readonly WhenLost[]) {
    this.#db = db;
    this.#named = named;
  }

  async releaseLost(): Promise<LostLock[]> {
    this.#tables ??= this.#findTables();
    const released: LostLock[] = [];
    for (const held of await this.#tables) {
      if (!(await isAnyLost(this.#db, held.table))) continue;
      released.push(...(await this.#db.transaction((tx) => release(tx, held))));
    }
    return released;
  }

  /** The named ones, and every other table that has a `task_id`. */
  async #findTables(): Promise<readonly WhenLost[]> {
    const rows = await this.#db.rows<{
      table: string;
    }>(sql`select table_name as table from information_schema.columns
        where table_schema = 'public' and column_name = 'task_id' order by table_name`);
    const known = new Set(
      this.#named.flatMap(({ table, parts = [] }) => [table, ...parts.map((part) => part.table)]),
    );
    const others = rows.filter(({ table }) => !known.has(table));
    return [...this.#named, ...others.map(({ table }) => ({ table, becomes: '' }))];
  }
}

/** Holding and starting a task are one transaction, and so are its end and the release: no look falls in between. */
const LOST = sql`not exists (select from tasks_active t where t.id = h.task_id and t.finished_at is null)`;

const HELD = (tasks: readonly string[]): Sql => sql`task_id = any(${tasks}::uuid[])`;

async function isAnyLost(db: Db, table: string): Promise<boolean> {
  return db.any(sql`select 1 from ${raw(table)} h where h.task_id is not null and ${LOST} limit 1`);
}

async function release(tx: Tx, { table, becomes, parts = [] }: WhenLost): Promise<LostLock[]> {
  const rows = await tx.rows<{ task_id: string }>(
    sql`select h.task_id from ${raw(table)} h where h.task_id is not null and ${LOST} for update`,
  );
  const tasks = [...new Set(rows.map(({ task_id: id }) => id))];
  const whole: PartWhenLost = { table, becomes };
  for (const part of [...parts, whole]) {
    const { where = HELD } = part;
    const changes = [...(part.where ? [] : ['task_id = null']), part.becomes].filter(Boolean);
    await tx.run(sql`update ${raw(part.table)} set ${raw(changes.join(', '))} where ${where(tasks)}`);
  }
  return tasks.map((taskId) => ({
    table,
    taskId,
    rows: rows.filter(({ task_id: id }) => id === taskId).length,
  }));
}
