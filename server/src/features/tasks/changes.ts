import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../platform/database/db.ts';
import { SharedLookUp } from '../../platform/database/shared-look-up.ts';
import { raw, sql } from '../../platform/database/sql.ts';
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
  /** The transactions that may have drawn this number or a lower one, and had not ended. */
  readonly writers: ReadonlySet<string>;
}

const NEWEST_EPOCH = sql`select token from task_epochs order by number desc limit 1`;

const SOON_MS = 10;
const LONGEST_WAIT_MS = 2000;

/** Knows up to which change everything can be seen; one for all streams of a node. Whoever draws a number acquires
 *  a lock before, and has it until others can see its changes. So this reads first which number was drawn last, then
 *  who has the lock: when those have ended, everything up to that number is there. Other transactions do not matter. */
export class Horizon {
  readonly #db: Db;
  readonly #looks = new SharedLookUp<'all', number>(async () => new Map([['all', await this.#look()]]));
  #last = 0;
  #epoch = '';
  #reached = 0;
  #drawn: Drawn | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Whether changes have been drawn that cannot all be seen yet. */
  get isBehind(): boolean {
    return this.#drawn !== undefined;
  }

  /** Whether the database, as it was last looked at, has another history than the one in which somebody came so far. */
  hasLeft({ epoch, change }: Cursor): boolean {
    return epoch !== this.#epoch || change > this.#last;
  }

  /** Looks once; those who look at the same time share it.
   *  @returns up to where everything can be seen */
  async look(): Promise<number> {
    return (await this.#looks.get('all')) ?? this.#reached;
  }

  async #look(): Promise<number> {
    const [last] = await this.#db.rows<{ change: number; epoch: string | null }>(
      sql`select case when is_called then last_value else 0 end as change, (${NEWEST_EPOCH}) as epoch from task_changes`,
    );
    const change = last?.change ?? 0;
    const epoch = last?.epoch ?? '';
    // Another database has taken the place of this one.
    if (epoch !== this.#epoch || change < this.#reached) {
      this.#reached = 0;
      this.#drawn = undefined;
    }
    this.#last = change;
    this.#epoch = epoch;
    if (change <= this.#reached) this.#drawn = undefined;
    else this.#pass(change, await this.#writers());
    return this.#reached;
  }

  #pass(change: number, writers: ReadonlySet<string>): void {
    const isRunning = (one: string) => writers.has(one);
    if (this.#drawn && ![...this.#drawn.writers].some(isRunning)) {
      this.#reached = this.#drawn.change;
      this.#drawn = undefined;
    }
    if (writers.size === 0) this.#reached = change;
    this.#drawn = change > this.#reached ? (this.#drawn ?? { change, writers }) : undefined;
  }

  /** Who has drawn numbers and has not ended: see next_task_change(). */
  async #writers(): Promise<ReadonlySet<string>> {
    const rows = await this.#db.rows<{ who: string }>(sql`select virtualtransaction as who from pg_locks
        where locktype = 'advisory' and classid = 72118 and objid = 0 and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())`);
    return new Set(rows.map(({ who }) => who));
  }

  /** Where to begin so that nothing that happens from now on is left out: the last change until now, once everything
   *  up to it can be seen. When that would have to be waited for too long, some of what was before is sent again. */
  async settle(): Promise<number> {
    await this.look();
    const requested = this.#last;
    for (let waited = 0; this.#reached < requested && waited < LONGEST_WAIT_MS; waited += SOON_MS) {
      await delay(SOON_MS);
      await this.look();
    }
    return this.#reached === 0 ? requested : Math.min(this.#reached, requested);
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
  return db.rows<ChangedTask>(sql`select ${COLUMNS}, change from tasks
      where change > ${after}::bigint and change <= ${upTo}::bigint and client_id = ${clientId}
        and (${query.project_id ?? null}::int[] is null or project_id = any(${query.project_id ?? null})) and (${query.region_id ?? null}::int[] is null or region_id = any(${query.region_id ?? null}))
        and (${query.state ?? null}::text[] is null or state = any(${query.state ?? null}))
      order by change limit ${raw(MOST_CHANGES)}`);
}

/** The newest life of the database. */
export async function currentEpoch(db: Db): Promise<string> {
  const [row] = await db.rows<{ token: string }>(NEWEST_EPOCH);
  return row?.token ?? '';
}

/** Whether a cursor lies in the history of this database: its epoch is one of ours, and had come so far when the next
 *  one began. */
export async function isOurs(db: Db, { epoch, change }: Cursor): Promise<boolean> {
  return db.any(sql`select 1 from task_epochs e
      where e.token = ${epoch} and ${change}::bigint <= coalesce(
        (select n.began_at from task_epochs n where n.number > e.number order by n.number limit 1),
        (select last_value from task_changes))`);
}
