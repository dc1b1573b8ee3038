import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { Listener } from '../database/listener.ts';
import { Loop } from '../loop.ts';
import type { RegionOwners } from '../owners/region-owners.ts';
import type { AtOnce, Room } from './at-once.ts';
import type { TaskEngine } from './engine.ts';
import { Lane } from './lane.ts';
import { type ClaimedTask, claim, LEASE_MS, renew, TASK_DUE } from './queue.ts';
import { within } from './within.ts';

export interface WorkerOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly engine: TaskEngine;
  readonly owners: RegionOwners;
  /** As which this process is known. */
  readonly name: string;
  /** Whether it takes new tasks at present. Default: always. */
  readonly mayClaim?: () => boolean;
  /** Tasks of regions without an owner that are worked on at the same time: they mostly wait for others. */
  readonly concurrency?: number;
  /** The same for each region that this node owns, whose processes share its processors. */
  readonly concurrencyOfOwned?: number;
}

const MOST_AT_ONCE = 256;
const MOST_OF_OWNED = 16;
/** Leases are renewed and due tasks are looked for this often, whatever was heard. */
const BEAT_MS = 1000;
/** An answer that comes later is of no use: the lease is nearly over. */
const PATIENCE_MS = 2500;

/** Works on tasks that are due. It is notified when one is due, and looks every second in any case. Regions with an
 *  owner have a lane of their own, at their owner. */
export class Worker implements AtOnce {
  readonly #options: WorkerOptions;
  readonly #listener: Listener;
  readonly #everybodys: Lane;
  /** By region. */
  readonly #owned = new Map<number, Lane>();
  /** Those of regions that were lost, while they end. */
  readonly #ending = new Set<Lane>();
  /** One must not wait for the other: leases end soon. */
  readonly #loops: readonly Loop[];
  #working = false;
  #stopping = false;
  /** A run is no part of the request that it was claimed with. */
  readonly begin = AsyncResource.bind((task: ClaimedTask) => this.#laneOf(task.region_id).begin(task));

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#everybodys = this.#lane(null);
    this.#listener = new Listener(options.db, TASK_DUE, {
      message: (regionId) => this.#lookInRegion(regionId),
      lost: () => this.#look(),
    });
    const { log } = options;
    const loop = (failure: string, work: () => Promise<void>) =>
      new Loop(BEAT_MS, () => work().catch((error) => log.warn(`${failure}: ${messageOf(error)}`)));
    this.#loops = [
      loop('leases could not be renewed', () => this.#beat()),
      loop('owners of regions could not be looked after', () => this.#keepRegions()),
    ];
  }

  async start(): Promise<void> {
    await this.#options.owners.begin();
    await this.#keepRegions();
    await this.#listener.listen();
    this.#working = true;
    this.#look();
    for (const loop of this.#loops) loop.start();
  }

  room(regionId: number | null): Room | undefined {
    const lane = this.#laneOf(regionId);
    if (regionId !== null && !this.#options.owners.known.includes(regionId)) return undefined;
    if (!this.#working || this.#stopping || !this.#mayClaim || !lane.hasRoom) return undefined;
    const owner = lane === this.#everybodys ? null : this.#options.owners.holder;
    return { owner, leaseMs: LEASE_MS, node: this.#options.name };
  }

  /** Claims no more tasks, waits for those that run and leaves what this node owns. */
  async stop(): Promise<void> {
    this.#stopping = true;
    // While they end, their leases are renewed and this node owns its regions.
    await Promise.all(this.#lanes().map((lane) => lane.stop()));
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#listener.close();
    await this.#options.owners.end();
  }

  #lane(regionId: number | null): Lane {
    const { db, clock, log, engine, owners, name: node, ...options } = this.#options;
    const concurrency =
      regionId === null
        ? (options.concurrency ?? MOST_AT_ONCE)
        : (options.concurrencyOfOwned ?? MOST_OF_OWNED);
    return new Lane({
      log,
      engine,
      concurrency,
      claim: async (limit, except) => {
        if (!this.#mayClaim) return [];
        const { holder: owner, known } = owners;
        const of = { regionId, known, owner, limit, except, node, leaseMs: LEASE_MS };
        return within(PATIENCE_MS, claim(db, { ...of, timestamp: clock.timestamp() }));
      },
    });
  }

  get #mayClaim(): boolean {
    return this.#options.mayClaim?.() ?? true;
  }

  #lanes(): readonly Lane[] {
    return [this.#everybodys, ...this.#owned.values(), ...this.#ending];
  }

  #look(): void {
    this.#everybodys.look();
    for (const lane of this.#owned.values()) lane.look();
  }

  /** @param regionId where a task is due; '': anywhere */
  #lookInRegion(regionId: string): void {
    if (regionId === '') this.#look();
    else this.#laneOf(Number(regionId)).look();
  }

  #laneOf(regionId: number | null): Lane {
    return (regionId === null ? undefined : this.#owned.get(regionId)) ?? this.#everybodys;
  }

  async #beat(): Promise<void> {
    void this.#listener.listen();
    this.#look();
    await this.#renew();
  }

  /** What has only just been claimed has its lease still before it. */
  async #renew(): Promise<void> {
    const { db, log } = this.#options;
    const lanes = this.#lanes();
    const held = lanes.flatMap((lane) => lane.held(BEAT_MS / 2));
    if (held.length === 0) return;
    const lost = await within(PATIENCE_MS, renew(db, held, LEASE_MS));
    for (const lane of lanes) lane.lose(lost);
    if (lost.length > 0) log.warn({ tasks: lost }, 'other runs have taken tasks over');
  }

  /** Works on the regions that this node owns, and on no others. */
  async #keepRegions(): Promise<void> {
    const { owners } = this.#options;
    await owners.renew();
    if (!this.#stopping) await owners.claimFree();
    const owned = owners.owned();
    for (const [regionId, lane] of this.#owned) if (!owned.includes(regionId)) this.#end(regionId, lane);
    for (const regionId of owned) {
      if (!this.#owned.has(regionId) && !this.#stopping) this.#owned.set(regionId, this.#lane(regionId));
    }
  }

  #end(regionId: number, lane: Lane): void {
    this.#owned.delete(regionId);
    this.#ending.add(lane);
    void lane.stop().then(() => this.#ending.delete(lane));
  }
}
