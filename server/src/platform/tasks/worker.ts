import { hostname } from 'node:os';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { RegionOwners } from '../owners/region-owners.ts';
import type { TaskEngine } from './engine.ts';
import { JobRunner } from './job-runner.ts';
import { isProcessAlive } from './processes.ts';
import { RUN_TASK } from './start.ts';
import { dropDeadJobs, hurryFailedJobs, ownersJob, requeueOrphans } from './store.ts';

export interface WorkerOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly engine: TaskEngine;
  readonly owners: RegionOwners;
  /** Tasks worked on at the same time; and as many again for each region that this node owns. */
  readonly concurrency?: number;
}

const BEAT_MS = 1000;
/** A worker silent for this long is given up and its jobs go to the others. */
const SILENT_MS = 4000;

const DEAD = `update workers set seen_at = '-infinity' where id = any($1)`;

/** Takes jobs from the queue, says that it is alive, and takes over from workers that no longer are. Jobs of a region
 *  with an owner come from a queue of their own, which only the owner works on. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #everybodys: JobRunner;
  /** By region. */
  readonly #owners = new Map<number, JobRunner>();
  /** Those of regions that were lost, while they end. */
  readonly #ending = new Set<JobRunner>();
  #stopping = false;
  #beat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#everybodys = this.#runner(RUN_TASK);
  }

  async start(): Promise<void> {
    await this.#forgetDeadNeighbours();
    await this.#takeOver();
    await this.#options.owners.begin();
    await this.#everybodys.start();
    await this.#keepRegions();
    this.#scheduleBeat();
  }

  /** Takes no more jobs, waits for those that run and leaves what this node owns. */
  async stop(): Promise<void> {
    this.#stopping = true;
    // While they end, this node is still alive and the owner of its regions.
    await Promise.all(this.#runners().map((runner) => runner.stop()));
    clearTimeout(this.#beat);
    this.#beat = undefined;
    await this.#beating;
    await this.#options.owners.end();
    await this.#options.db.named('worker_leave', 'delete from workers where id = any($1)', [this.#poolIds()]);
  }

  #runner(identifier: string): JobRunner {
    return new JobRunner({
      db: this.#options.db,
      log: this.#options.log,
      engine: this.#options.engine,
      identifier,
      concurrency: this.#options.concurrency ?? 16,
      onBegin: () => this.#sayAlive(),
      onGiveUp: async (poolIds) => {
        await this.#options.db.named('workers_dead', DEAD, [poolIds]);
        await this.#takeOver();
      },
    });
  }

  #runners(): readonly JobRunner[] {
    return [this.#everybodys, ...this.#owners.values(), ...this.#ending];
  }

  #poolIds(): readonly string[] {
    return this.#runners().flatMap(({ poolIds }) => poolIds);
  }

  #scheduleBeat(): void {
    this.#beat = setTimeout(() => {
      this.#beating = this.#beatOnce();
    }, BEAT_MS);
  }

  async #beatOnce(): Promise<void> {
    try {
      await this.#sayAlive();
      await this.#keepRegions();
      await this.#takeOver();
    } catch (error) {
      this.#options.log.warn(`heartbeat failed: ${messageOf(error)}`);
    }
    if (this.#beat) this.#scheduleBeat();
  }

  /** Works on the regions that this node owns, and on no others. */
  async #keepRegions(): Promise<void> {
    const { owners } = this.#options;
    await owners.renew();
    if (!this.#stopping) await owners.takeFree();
    const owned = owners.owned();
    for (const [regionId, runner] of this.#owners) {
      if (!owned.includes(regionId)) this.#endRunner(regionId, runner);
    }
    for (const regionId of owned) {
      if (!this.#owners.has(regionId) && !this.#stopping) await this.#beginRunner(regionId);
    }
  }

  async #beginRunner(regionId: number): Promise<void> {
    const runner = this.#runner(ownersJob(regionId));
    this.#owners.set(regionId, runner);
    try {
      await runner.start();
    } catch (error) {
      this.#owners.delete(regionId);
      throw error;
    }
  }

  #endRunner(regionId: number, runner: JobRunner): void {
    this.#owners.delete(regionId);
    this.#ending.add(runner);
    const { log } = this.#options;
    void runner
      .stop()
      .catch((error) => log.warn(`a queue did not end well: ${messageOf(error)}`))
      .then(() => this.#ending.delete(runner));
  }

  async #sayAlive(): Promise<void> {
    for (const id of this.#poolIds()) {
      await this.#options.db.named(
        'worker_beat',
        `insert into workers (id, host, pid, started_at, seen_at) values ($1, $2, $3, now(), now())
         on conflict (id) do update set seen_at = now()`,
        [id, hostname(), process.pid],
      );
    }
  }

  /** After a crash the jobs of our own predecessor need not wait until it counts as silent. */
  async #forgetDeadNeighbours(): Promise<void> {
    const { db } = this.#options;
    const here = await db.named<{ id: string; pid: number }>(
      'workers_here',
      'select id, pid from workers where host = $1',
      [hostname()],
    );
    const dead = here.filter(({ pid }) => !isProcessAlive(pid)).map(({ id }) => id);
    await db.named('workers_dead', DEAD, [dead]);
  }

  /** Unlocks the jobs of silent workers, and of those that nobody has ever heard of. */
  async #takeOver(): Promise<void> {
    const { db, log } = this.#options;
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
}
