import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import { endTask } from '../../platform/tasks/store.ts';
import { markFailed } from './parts/store.ts';
import { TASK_DEADLINE_MS } from './tasks/common.ts';

/** A task that is past its deadline is undone, which may take as long again. */
const LONGEST_MS = 2 * TASK_DEADLINE_MS;
/** A task of which nothing was heard for this long hangs. */
const SILENT_MS = 5 * 60_000;
/** Attempts in a row to undo that failed. */
const MOST_RETRIES = 3;

interface Stuck {
  readonly id: string;
  readonly task_id: string;
  readonly provisioning_status: string;
  /** Null: the task has ended, or is gone. */
  readonly task: string | null;
}

/** Frees load balancers and their parts from tasks that will not let go of them any more: those that have ended or
 *  are gone, those that hang, those whose undoing fails again and again. They are in ERROR then, and can be
 *  repaired by any change, or deleted. In the ordinary course of things the engine ends every task by its deadline,
 *  and there is nothing to do here. */
export class Watchdog {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(db: Db, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  async run(): Promise<void> {
    for (const stuck of await this.#stuck()) {
      const reason = `${stuck.provisioning_status} for longer than ${LONGEST_MS / 60_000} minutes: given up`;
      await this.#db.transaction(async (tx) => {
        await endTask(tx, stuck.task_id, this.#clock.timestamp(), reason);
        await markFailed(tx, stuck.id, stuck.task_id);
      });
      this.#log.error(
        { loadBalancer: stuck.id, task: stuck.task_id, was: stuck.provisioning_status },
        stuck.task === null ? 'its task had ended without letting go of it' : reason,
      );
    }
  }

  #stuck(): Promise<Stuck[]> {
    const now = this.#clock.now().getTime();
    return this.#db.named<Stuck>(
      'lb_stuck',
      `select lb.id, lb.task_id, lb.provisioning_status, t.id as task
         from load_balancers lb
         left join tasks t on t.id = lb.task_id and t.state in ('NEW', 'RUNNING')
        where lb.task_id is not null
          and (t.id is null or (t.created_at < $1 and
                (t.updated_at < $2 or (t.failure is not null and t.retries >= $3::int))))`,
      [new Date(now - LONGEST_MS).toISOString(), new Date(now - SILENT_MS).toISOString(), MOST_RETRIES],
    );
  }
}
