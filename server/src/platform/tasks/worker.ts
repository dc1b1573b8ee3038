import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import type { RegionOwners } from '../owners/region-owners.ts';
import type { TaskEngine } from './engine.ts';
import { JobRunner } from './job-runner.ts';
import { forgetDeadNeighbours, giveUp, leave, sayAlive, takeOver } from './neighbours.ts';
import { RUN_TASK } from './start.ts';
import { giveJobsBack, ownersJob, readHeldJobs } from './store.ts';

export interface WorkerOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly engine: TaskEngine;
  readonly owners: RegionOwners;
  /** Tasks worked on at the same time; and as many again for each region that this node owns. */
  readonly concurrency?: number;
}

const BEAT_MS = 1000;

/** Takes jobs from the queue, says that it is alive, and takes over from workers that no longer are. Jobs of a region
 *  with an owner come from a queue of their own, which only the owner works on. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #everybodys: JobRunner;
  /** By region. */
  readonly #owners = new Map<number, JobRunner>();
  /** Those of regions that were lost, while they end. */
  readonly #ending = new Set<JobRunner>();
  /** Jobs that the queue gave us and that we knew nothing of at the last beat. */
  #unheard: readonly string[] = [];
  #stopping = false;
  #beat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#everybodys = this.#runner(RUN_TASK);
  }

  async start(): Promise<void> {
    const { db, log, owners } = this.#options;
    await forgetDeadNeighbours(db);
    await takeOver(db, log);
    await owners.begin();
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
    await leave(this.#options.db, this.#poolIds());
  }

  #runner(identifier: string): JobRunner {
    const { db, log, engine, concurrency = 16 } = this.#options;
    return new JobRunner({
      ...{ db, log, engine, identifier, concurrency },
      onBegin: () => this.#sayAlive(),
      onGiveUp: async (poolIds) => {
        await giveUp(db, poolIds);
        await takeOver(db, log);
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
      await takeOver(this.#options.db, this.#options.log);
      await this.#findUnheard();
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

  #sayAlive(): Promise<void> {
    return sayAlive(this.#options.db, this.#poolIds());
  }

  /** When the database dies between giving us jobs and telling us so, they are ours for hours, and nobody does them.
   *  What is only on its way is heard of by the next beat. */
  async #findUnheard(): Promise<void> {
    const { db, log } = this.#options;
    const poolIds = this.#poolIds();
    const runners = this.#runners();
    const held = await readHeldJobs(db, poolIds);
    const unheard = held.filter((id) => !runners.some((runner) => runner.hasInHand(id)));
    const lost = unheard.filter((id) => this.#unheard.includes(id));
    this.#unheard = unheard;
    if (lost.length === 0) return;
    log.warn({ jobs: lost }, 'giving back jobs that were never received');
    await giveJobsBack(db, lost, poolIds);
  }
}
