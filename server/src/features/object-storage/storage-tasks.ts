import type { Queryable, Tx } from '../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, type Wait } from '../../platform/tasks/handler.ts';
import type { AnyStorageRow, StorageTable } from './storage-table.ts';

/** What the tasks of storages of every kind have in common. */

const DEADLINE_MS = 30 * 60_000;

export type WithAddress<Row extends AnyStorageRow> = Row & { readonly address: string };

export const hasAddress = <Row extends AnyStorageRow>(row: Row): row is WithAddress<Row> =>
  row.address !== null;

/** The storage with its address, which it is given once. */
export async function withAddress<Row extends AnyStorageRow>(
  { db, task }: { readonly db: Queryable; readonly task: { readonly id: string } },
  row: Row,
  provider: { addressOf(id: string): Promise<string> },
  table: StorageTable<Row>,
): Promise<WithAddress<Row>> {
  if (hasAddress(row)) return row;
  const address = await provider.addressOf(String(row.id));
  await table.setAddress(db, row.id, task.id, address);
  return { ...row, address };
}

/** What a kind of storage does in its tasks. Each call may be repeated. */
export interface StorageWork<Row> {
  /** Brings a storage to what it is to be `after` the task, or back to what it was `before`. */
  apply(run: TaskRun, row: Row, when: 'before' | 'after'): Promise<Wait | undefined>;
  /** Ends a storage.
   *  @param why `undo`: it never came to be, or is not to come back; else it is deleted
   *  @param keepsFiles so that it can be restored */
  remove(
    run: TaskRun,
    row: Row,
    how: { readonly keepsFiles: boolean; readonly isUndo: boolean },
  ): Promise<Wait | undefined>;
  /** Ends the hold of the task on a storage that serves.
   *  @param applied whether what was to come has come */
  settle(tx: Tx, row: Row, taskId: string, applied: boolean): Promise<void>;
}

/** Work of a task, and what is written when it is done. */
interface Step<Row> {
  work(run: TaskRun, row: Row): Promise<Wait | undefined>;
  write(tx: Tx, row: Row, run: TaskRun): Promise<void>;
}

/** The tasks of a kind of storage, by what they do.
 *  @param keepsFiles whether the files of a deleted storage are kept for a while */
export function storageTasks<Row extends AnyStorageRow>(
  table: StorageTable<Row>,
  { apply, remove, settle }: StorageWork<Row>,
  { keepsFiles }: { readonly keepsFiles: boolean },
) {
  const applied: Step<Row> = {
    work: (run, row) => apply(run, row, 'after'),
    write: (tx, row, { task }) => settle(tx, row, task.id, true),
  };
  const undone: Step<Row> = {
    work: (run, row) => apply(run, row, 'before'),
    write: (tx, row, { task }) => settle(tx, row, task.id, false),
  };
  const neverMade: Step<Row> = {
    work: (run, row) => remove(run, row, { keepsFiles: false, isUndo: true }),
    write: (tx, row, { task }) => table.remove(tx, row.id, task.id),
  };
  const deleted = (isUndo: boolean): Step<Row> => ({
    work: (run, row) => remove(run, row, { keepsFiles, isUndo }),
    write: (tx, row, { task, timestamp }) => table.settleDeleted(tx, row.id, task.id, timestamp),
  });
  /** A task whose storage is gone, or no longer its own, has nothing to do. */
  const stepOf = (step: Step<Row>) => async (run: TaskRun) => {
    const row = await table.held(run.db, run.task.id);
    if (!row) return done({});
    return (await step.work(run, row)) ?? done({}, (tx) => step.write(tx, row, run));
  };
  const handler = (type: string, run: Step<Row>, undo: Step<Row>): TaskHandler => ({
    type,
    deadlineMs: DEADLINE_MS,
    run: stepOf(run),
    undo: stepOf(undo),
  });
  return {
    /** A new storage; when it cannot be made, nothing of it is left. */
    creating: (type: string) => handler(type, applied, neverMade),
    /** When a change cannot be done, all is as it was. */
    changing: (type: string) => handler(type, applied, undone),
    /** What could not be deleted serves on; files that are gone already stay gone. */
    deleting: (type: string) => handler(type, deleted(false), undone),
    /** A deleted storage comes back, with a new address; when it cannot, it is deleted as before. */
    restoring: (type: string) => handler(type, applied, deleted(true)),
  };
}
