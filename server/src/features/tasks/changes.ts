import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../platform/database/db.ts';
import type { TaskStreamQuery } from './schema.ts';
import { COLUMNS, type TaskRow } from './store.ts';

/** The order of changes of tasks: each draws a number. One with a higher number may be seen before one with a lower,
 *  whose transaction takes longer. */

/** How far a reader is. */
export interface Cursor {
  readonly epoch: string;
  readonly change: number;
}

interface Drawn {
  readonly change: number;
  /** Transactions from this number on began later. */
  readonly before: number;
}

const SOON_MS = 10;
const LONGEST_WAIT_MS = 2000;

/** Knows up to which change everything can be seen. Whoever draws a number is a transaction that others know to be on
 *  its way. So this reads first which number was drawn last, then which transactions are on their way: when those
 *  have ended, everything up to that number is there. */
export class Horizon {
  readonly #db: Db;
  #reached = 0;
  #drawn: Drawn | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Whether changes have been drawn that cannot all be seen yet. */
  get isBehind(): boolean {
    return this.#drawn !== undefined;
  }

  /** Looks once.
   *  @returns up to where everything can be seen */
  async look(): Promise<number> {
    const [last] = await this.#db.named<{ change: number }>(
      'task_last_change',
      'select case when is_called then last_value else 0 end as change from task_changes',
      [],
    );
    const [running] = await this.#db.named<{ oldest: number; next: number }>(
      'task_transactions',
      `select pg_snapshot_xmin(s)::text::float8 as oldest, pg_snapshot_xmax(s)::text::float8 as next
         from pg_current_snapshot() s`,
      [],
    );
    const { oldest = 0, next = 0 } = running ?? {};
    const change = last?.change ?? 0;
    if (this.#drawn && oldest >= this.#drawn.before) {
      this.#reached = this.#drawn.change;
      this.#drawn = undefined;
    }
    if (oldest === next) this.#reached = change;
    this.#drawn = change > this.#reached ? (this.#drawn ?? { change, before: next }) : undefined;
    return this.#reached;
  }

  /** The last change until now, once everything up to it can be seen, or would have to be waited for too long. */
  async settle(): Promise<number> {
    await this.look();
    const wanted = this.#drawn?.change ?? this.#reached;
    for (let waited = 0; this.#reached < wanted && waited < LONGEST_WAIT_MS; waited += SOON_MS) {
      await delay(SOON_MS);
      await this.look();
    }
    return wanted;
  }
}

export interface ChangedTask extends TaskRow {
  readonly change: number;
}

export const MOST_CHANGES = 500;

/** The client's tasks that changed after one change and up to another, as they are now, in order. */
export async function changedTasks(
  db: Db,
  clientId: number,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  query: TaskStreamQuery,
): Promise<ChangedTask[]> {
  return db.named<ChangedTask>(
    'task_changes',
    `select ${COLUMNS}, change from tasks
      where change > $2::bigint and change <= $3::bigint and client_id = $1
        and ($4::int[] is null or project_id = any($4)) and ($5::int[] is null or region_id = any($5))
        and ($6::text[] is null or state = any($6))
      order by change limit ${MOST_CHANGES}`,
    [clientId, after, upTo, query.project_id ?? null, query.region_id ?? null, query.state ?? null],
  );
}

/** The newest life of the database. */
export async function currentEpoch(db: Db): Promise<string> {
  const [row] = await db.named<{ token: string }>(
    'task_epoch',
    'select token from task_epochs order by number desc limit 1',
    [],
  );
  return row?.token ?? '';
}

/** Whether a cursor lies in the history of this database: its epoch is one of ours, and had come so far when the next
 *  one began. */
export async function isOurs(db: Db, { epoch, change }: Cursor): Promise<boolean> {
  const rows = await db.named(
    'task_cursor',
    `select 1 from task_epochs e
      where e.token = $1 and $2::bigint <= coalesce(
        (select n.began_at from task_epochs n where n.number > e.number order by n.number limit 1),
        (select last_value from task_changes))`,
    [epoch, change],
  );
  return rows.length > 0;
}
