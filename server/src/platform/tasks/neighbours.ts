import { hostname } from 'node:os';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { isProcessAlive } from './processes.ts';
import { dropDeadJobs, hurryFailedJobs, requeueOrphans } from './store.ts';

/** Which workers are alive, each under the names that its jobs are held by, and who takes over from those that no
 *  longer are. */

/** A worker silent for this long is given up and its jobs go to the others. */
const SILENT_MS = 4000;

export async function sayAlive(db: Db, poolIds: readonly string[]): Promise<void> {
  for (const id of poolIds) {
    await db.named(
      'worker_beat',
      `insert into workers (id, host, pid, started_at, seen_at) values ($1, $2, $3, now(), now())
       on conflict (id) do update set seen_at = now()`,
      [id, hostname(), process.pid],
    );
  }
}

export async function leave(db: Db, poolIds: readonly string[]): Promise<void> {
  await db.named('worker_leave', 'delete from workers where id = any($1)', [poolIds]);
}

/** Nothing will be heard of these names again: the next take-over need not wait. */
export async function giveUp(db: Db, poolIds: readonly string[]): Promise<void> {
  await db.named('workers_dead', `update workers set seen_at = '-infinity' where id = any($1)`, [poolIds]);
}

/** After a crash the jobs of our own predecessor need not wait until it counts as silent. */
export async function forgetDeadNeighbours(db: Db): Promise<void> {
  const here = await db.named<{ id: string; pid: number }>(
    'workers_here',
    'select id, pid from workers where host = $1',
    [hostname()],
  );
  const dead = here.filter(({ pid }) => !isProcessAlive(pid)).map(({ id }) => id);
  await giveUp(db, dead);
}

/** Unlocks the jobs of silent workers, and of those that nobody has ever heard of. */
export async function takeOver(db: Db, log: Logger): Promise<void> {
  const silent = await db.named<{ id: string }>(
    'workers_silent',
    `delete from workers where seen_at < now() - $1::float8 * interval '1 millisecond' returning id`,
    [SILENT_MS],
  );
  const strangers = await db.named<{ id: string }>(
    'workers_unknown',
    `select distinct locked_by as id from graphile_worker.jobs
      where locked_by is not null and locked_at < now() - $1::float8 * interval '1 millisecond'
        and locked_by not in (select id from workers)`,
    [SILENT_MS],
  );
  const gone = [...new Set([...silent, ...strangers].map(({ id }) => id))];
  if (gone.length > 0) {
    log.warn({ workers: gone }, 'taking over the tasks of workers that stopped answering');
    await db.named('workers_unlock', 'select graphile_worker.force_unlock_workers($1::text[])', [gone]);
  }
  await dropDeadJobs(db);
  await hurryFailedJobs(db);
  const orphans = await requeueOrphans(db);
  if (orphans > 0) log.warn({ orphans }, 'ordered a new run for tasks whose job was lost');
}
