import type { Scoped } from '../http/context.ts';
import type { DB } from './schema.gen.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/** The insertion of one row: `tx.run(insertionOf('routers', {…}))`.
 *  @param row JSON is given as text
 *  @param returning what of the new row is read */
export function insertionOf<Table extends keyof DB & string>(
  table: Table,
  row: { readonly [Column in keyof DB[Table]]?: unknown },
  returning?: Sql,
): Sql {
  const columns = Object.keys(row).join(', ');
  // An object may have more fields than its type says; only names of columns may become SQL.
  if (!NAMES.test(columns)) throw new Error(`not columns of ${table}: ${columns}`);
  const insertion = sql`insert into ${raw(table)} (${raw(columns)}) values (${join(Object.values(row), ', ')})`;
  return returning ? sql`${insertion} returning ${returning}` : insertion;
}

const NAMES = /^[a-z_][a-z0-9_]*(, [a-z_][a-z0-9_]*)*$/;

/** What an insertion returns. */
export function inserted<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('the row was not inserted');
  return row;
}

/** What is known of every new resource. */
export interface NewResource extends Scoped {
  readonly clientId: number;
  /** The task that makes it, which holds it until then. */
  readonly taskId: string;
  readonly timestamp: string;
}

/** The columns that all tables of resources have, for a new one. In a literal they come last, see `pick`. */
export const columnsOfNew = ({ id, projectId, regionId, clientId, taskId, timestamp }: NewResource) => ({
  id,
  project_id: projectId,
  region_id: regionId,
  client_id: clientId,
  task_id: taskId,
  creator_task_id: taskId,
  created_at: timestamp,
  updated_at: timestamp,
});
