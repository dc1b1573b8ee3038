import { messageOf } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { isProcessAlive } from '../tasks/processes.ts';
import { refusalOf } from './home.ts';
import type { NodeIdentity, OwnedDataPlane, OwnedRegion } from './owned-region.ts';
import * as store from './store.ts';

export interface RegionOwnersOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly ids: Ids;
  readonly node: NodeIdentity;
  /** The regions whose programs run on a machine. */
  readonly owned: readonly OwnedRegion[];
  /** All others. */
  readonly everybodys: readonly number[];
  /** Called when this node has become the owner of a region. */
  readonly onClaimed?: () => void;
  /** Milliseconds of a clock that never jumps; default: of the process. */
  readonly steady?: () => number;
}

/** A holder silent for this long has lost its lease to whoever asks. */
const SILENT_MS = 4000;
/** One whose machine does not answer for the region's addresses either need not be waited for so long. */
const GONE_MS = 3000;
/** Two looks of a worker. */
const BREAK_MS = 3000;
/** After the database was away a busy machine needs its time until it is heard again. */
const UNHEARD_MS = 10_000;
/** A machine that answers for the region's addresses is not gone. For this long it may be busy, or start its worker;
 *  where it has data, until it is gone. */
const ALIVE_MS = 15_000;
/** How often a machine that serves a region is asked until it was seen to answer. */
const UNSEEN_MS = 30_000;
/** Of many addresses a few tell. */
const ADDRESSES = 8;

/** Whether a machine has files that do not move with the region. One that cannot read its folders keeps its lease, and
 *  counts as having some. */
function hasData(data: OwnedDataPlane): boolean {
  try {
    return data.hasData();
  } catch {
    return true;
  }
}

/** The leases of this node on regions that only one node at a time may work on. */
export class RegionOwners {
  readonly #options: RegionOwnersOptions;
  readonly #regions: ReadonlyMap<number, OwnedRegion>;
  readonly #session: string;
  /** Epoch of each lease that this process holds. */
  readonly #held = new Map<number, number>();
  /** Epoch of regions of which nothing runs here since another machine has them. */
  readonly #elsewhere = new Map<number, number>();
  /** Epoch of regions that wait for the worker of their own machine. */
  readonly #stays = new Map<number, number>();
  /** Epoch of regions whose machines were seen to answer for them: not every network lets anybody ask. */
  readonly #seen = new Map<number, number>();
  readonly #askedAt = new Map<number, number>();
  /** Regions that are released: to end their programs may take long, and the leases of others go on meanwhile. */
  readonly #releasing = new Map<number, Promise<void>>();
  /** Why regions are not served here. */
  readonly #refused = new Map<number, string>();
  /** Since when the database has answered without a break. */
  #heardSince: number | undefined;
  #heardAt = 0;
  #renewedAt = 0;

  constructor(options: RegionOwnersOptions) {
    this.#options = options;
    this.#regions = new Map(options.owned.map((region) => [region.id, region]));
    this.#session = options.ids.uuid();
  }

  /** As what this process holds its leases. */
  get holder(): string {
    return this.#session;
  }

  /** The regions that there were when this node started. */
  get known(): readonly number[] {
    return [...this.#regions.keys(), ...this.#options.everybodys];
  }

  /** Whether this node may work on a region's data plane, as far as it knows. */
  serves(regionId: number): boolean {
    return !this.#regions.has(regionId) || this.#held.has(regionId);
  }

  /** Whether one node at a time works on a region, since its programs run on a machine. */
  hasOwner(regionId: number): boolean {
    return this.#regions.has(regionId);
  }

  /** Why the owner of a region cannot serve it, or null; undefined when it is for this node itself to say. */
  async faultElsewhere(regionId: number): Promise<string | null | undefined> {
    return this.serves(regionId) ? undefined : store.readFault(this.#options.db, regionId);
  }

  /** Regions that this node may not serve, and why. */
  refused(): readonly string[] {
    return [...this.#refused].map(([id, reason]) => `Region ${this.#name(id)} is not served here: ${reason}`);
  }

  /** Before the first beat. */
  async begin(): Promise<void> {
    await store.keepRows(this.#options.db, [...this.#regions.keys()], this.#options.everybodys);
  }

  /** The regions whose lease this process holds, as far as it knows. */
  owned(): readonly number[] {
    return [...this.#held.keys()];
  }

  /** Gives the leases back: to a process that waits for them with everything running as it is. */
  async end(): Promise<void> {
    const { db, node } = this.#options;
    await store.withdraw(db, this.#session);
    await Promise.all(this.#releasing.values());
    for (const row of await this.#rows([...this.#held.keys()])) {
      this.#held.delete(row.region_id);
      // On another machine it goes on at once, with the same addresses.
      if (row.awaited !== null)
        await this.#release(row.region_id, row.awaited === node.name ? 'leave' : 'stop');
      await store.release(db, row.region_id, this.#session);
    }
    // Who was waited for may have ended at the same moment: then this process is the last one, and stops it all.
    for (const row of await this.#rows([...this.#regions.keys()])) {
      if (row.holder === null && row.awaited === null && this.#isHome(row)) await this.#claimRunning(row);
    }
  }

  async #claimRunning(row: store.OwnerRow): Promise<void> {
    const region = this.#regions.get(row.region_id);
    if (!region || region.data.programsOf(this.#options.node.dataDir).length === 0) return;
    await this.#claim(region, row, 0);
    this.#held.delete(row.region_id);
    await store.release(this.#options.db, row.region_id, this.#session);
  }

  /** Says that this process is alive, and releases what it has lost.
   *  @throws when the database does not answer; then what is seen to be elsewhere is released all the same */
  async renew(): Promise<void> {
    if (this.#held.size === 0) return;
    try {
      await this.#renew();
      this.#renewedAt = this.#now();
    } catch (error) {
      if (this.#now() - this.#renewedAt > SILENT_MS) await this.#giveUpMoved();
      throw error;
    }
  }

  /** Without the database regions go on as they are, but not beside another machine that has taken them over. */
  async #giveUpMoved(): Promise<void> {
    for (const regionId of [...this.#held.keys()]) {
      if (!(await this.#regions.get(regionId)?.data.isElsewhere())) continue;
      this.#options.log.warn(
        { regionId },
        `another machine has the addresses of region ${this.#name(regionId)}: its programs here are ended`,
      );
      this.#held.delete(regionId);
      this.#aside(regionId, () => this.#release(regionId, 'stop'));
    }
  }

  async #renew(): Promise<void> {
    const { db, node } = this.#options;
    const held = [...this.#held].flatMap(([regionId, epoch]) => {
      const data = this.#regions.get(regionId)?.data;
      return data ? [this.#said(regionId, epoch, data)] : [];
    });
    const renewed = await store.renew(db, this.#session, node.name, await Promise.all(held));
    const lost = [...this.#held.keys()].filter((regionId) => !renewed.has(regionId));
    for (const regionId of lost) await this.#lose(regionId);
  }

  async #said(regionId: number, epoch: number, data: OwnedDataPlane): Promise<store.Held> {
    return {
      regionId,
      epoch,
      fault: (await data.fault().catch(messageOf)) ?? null,
      hasData: hasData(data),
      addresses: data.addresses().slice(0, ADDRESSES),
    };
  }

  async #lose(regionId: number): Promise<void> {
    const { db, node, log } = this.#options;
    // Not before the database has answered: what fails here is done again with the next beat.
    const [row] = await store.readRows(db, [regionId], SILENT_MS);
    this.#held.delete(regionId);
    const home =
      row && row.holder !== this.#session && row.node === node.name && row.data_dir === node.dataDir;
    log.warn({ regionId }, `region ${this.#name(regionId)} has another owner now`);
    this.#aside(regionId, async () => {
      await this.#release(regionId, home ? 'leave' : 'stop');
      await store.release(db, regionId, this.#session);
    });
  }

  /** Releases a region, which is not claimed before that has ended. */
  #aside(regionId: number, release: () => Promise<void>): void {
    const released = release()
      .catch((error: unknown) => this.#noteFailure(regionId, error))
      .finally(() => this.#releasing.delete(regionId));
    this.#releasing.set(regionId, released);
  }

  /** Claims the leases that nobody holds and that this node may have, and says that it waits for the others. */
  async claimFree(): Promise<void> {
    const { db, node } = this.#options;
    const unheld = [...this.#regions.keys()].filter((id) => !this.#held.has(id));
    if (unheld.length === 0) return;
    const before = this.#heardSince;
    // Not before something was written as well: a replica answers, and knows nothing new.
    this.#heardSince = undefined;
    const rows = await this.#rows(unheld);
    const now = this.#now();
    const since = before === undefined || now - this.#heardAt > BREAK_MS ? now : before;
    const asked = await this.#askMachines(rows, now - since);
    for (const row of rows) {
      const region = this.#regions.get(row.region_id);
      if (!region || this.#releasing.has(region.id)) continue;
      const refusal = refusalOf({ ...row, dataDir: row.data_dir }, region, node);
      this.#noteRefusal(region, row, refusal);
      if (refusal !== null) continue;
      const isThere = asked.get(row.region_id);
      const isGone = isThere === false;
      const isSilent = isThere !== true && row.free && !this.#mayBeUnheard(row, now - since);
      const isFree = (isGone || isSilent) && !this.#isForItsOwn(row);
      if (isFree || this.#isDead(row)) await this.#claim(region, row, isFree ? GONE_MS : 0);
      else {
        const me = { by: this.#session, node: node.name, silentMs: SILENT_MS };
        await store.sayAwaited(db, region.id, me);
        if (row.node !== node.name) this.#endLeft(region, row);
      }
    }
    this.#heardSince = since;
    this.#heardAt = now;
  }

  /** After the database was away everybody is silent. The machine that serves a region comes first, since databases and
   *  storages do not move with it.
   *  @param heardMs for how long the database has answered this process without a break */
  #mayBeUnheard({ peers, node, holder }: store.OwnerRow, heardMs: number): boolean {
    if (peers.length === 0 || holder === null || node === this.#options.node.name) return false;
    return heardMs < UNHEARD_MS;
  }

  /** Whether the machines of silent holders are there: then nothing is lost but time, and with a move databases and
   *  storages would be away. All are asked at once, since leases of this process end meanwhile.
   *  @param heardMs for how long the database has answered this process without a break
   *  @returns by region; not those that were not asked, or do not answer and were never seen to */
  async #askMachines(
    rows: readonly store.OwnerRow[],
    heardMs: number,
  ): Promise<ReadonlyMap<number, boolean>> {
    const { node } = this.#options;
    const isWaiting = (row: store.OwnerRow) => Math.min(row.silent_ms, heardMs) < ALIVE_MS;
    const asked = rows.filter(
      (row) =>
        row.holder !== null &&
        row.node !== node.name &&
        row.peers.includes(node.name) &&
        (row.silent_ms > GONE_MS ? row.has_data || isWaiting(row) : this.#isUnseen(row)),
    );
    const answers = asked.map(async (row) => {
      const region = this.#regions.get(row.region_id);
      this.#askedAt.set(row.region_id, this.#now());
      const isThere = await region?.data.isElsewhere(row.addresses);
      if (isThere) this.#seen.set(row.region_id, row.epoch);
      if (region && isThere && !isWaiting(row)) this.#noteStays(region, row);
      const isKnown = isThere !== undefined && this.#seen.get(row.region_id) === row.epoch;
      return isKnown ? [[row.region_id, isThere] as const] : [];
    });
    return new Map((await Promise.all(answers)).flat());
  }

  #isUnseen({ region_id, epoch, addresses }: store.OwnerRow): boolean {
    if (addresses.length === 0 || this.#seen.get(region_id) === epoch) return false;
    return this.#now() - (this.#askedAt.get(region_id) ?? Number.NEGATIVE_INFINITY) > UNSEEN_MS;
  }

  #noteStays({ id, name }: OwnedRegion, { node, epoch }: store.OwnerRow): void {
    if (this.#stays.get(id) === epoch) return;
    this.#stays.set(id, epoch);
    this.#options.log.warn(
      { regionId: id, node },
      `region ${name} stays on node ${node}, which has its databases, storages or clusters and answers for its addresses, but has no worker: start one there, or switch that machine off to have the load balancers here`,
    );
  }

  /** Another process of the machine that serves it is there, and comes first: with that one nothing moves. */
  #isForItsOwn({ node, awaited }: store.OwnerRow): boolean {
    return node !== null && node !== this.#options.node.name && awaited === node;
  }

  #now(): number {
    return this.#options.steady?.() ?? performance.now();
  }

  /** Another machine serves a region of both: what this one has of it, from before it was silent, must not go on. */
  #endLeft({ id, data }: OwnedRegion, { epoch, peers }: store.OwnerRow): void {
    const { node, log } = this.#options;
    if (peers.length === 0 || this.#elsewhere.get(id) === epoch) return;
    if (data.programsOf(node.dataDir).length > 0)
      log.warn({ regionId: id }, `region ${this.#name(id)} is served elsewhere: its programs here are ended`);
    this.#aside(id, async () => {
      await data.takeOver(epoch, null);
      await this.#release(id, 'stop');
      this.#elsewhere.set(id, epoch);
    });
  }

  async #claim(region: OwnedRegion, row: store.OwnerRow, silentMs: number): Promise<void> {
    const { db, node, log } = this.#options;
    const epoch = await store.acquire(db, row, node, this.#session, silentMs);
    if (epoch === undefined) return;
    try {
      await region.data.takeOver(epoch, row.data_dir);
    } catch (error) {
      log.error({ err: error, regionId: region.id }, `region ${region.name} could not be taken over`);
      return store.release(db, region.id, this.#session);
    }
    this.#held.set(region.id, epoch);
    this.#renewedAt = this.#now();
    if (row.holder !== null) log.warn({ regionId: region.id }, `region ${region.name} is taken over`);
    this.#options.onClaimed?.();
  }

  async #rows(regionIds: readonly number[]): Promise<readonly store.OwnerRow[]> {
    return regionIds.length === 0 ? [] : store.readRows(this.#options.db, regionIds, SILENT_MS);
  }

  /** Whether its programs are those of this data directory. */
  #isHome({ node, data_dir }: store.OwnerRow): boolean {
    return node === this.#options.node.name && data_dir === this.#options.node.dataDir;
  }

  /** After a crash the leases of our own predecessor need not wait until it counts as silent. */
  #isDead({ node, pid }: store.OwnerRow): boolean {
    return node === this.#options.node.name && pid !== null && (pid === process.pid || !isProcessAlive(pid));
  }

  async #release(regionId: number, programs: 'leave' | 'stop'): Promise<void> {
    try {
      await this.#regions.get(regionId)?.data.release(programs);
    } catch (error) {
      this.#noteFailure(regionId, error);
    }
  }

  #noteFailure(regionId: number, error: unknown): void {
    this.#options.log.warn({ err: error, regionId }, `releasing a region failed: ${messageOf(error)}`);
  }

  #noteRefusal({ id, name }: OwnedRegion, { node, data_dir }: store.OwnerRow, refusal: string | null): void {
    if (refusal === null) this.#refused.delete(id);
    else if (this.#refused.get(id) !== refusal) {
      this.#refused.set(id, refusal);
      this.#options.log.warn(
        { regionId: id, node, dataDir: data_dir },
        `region ${name} is not served here: ${refusal}`,
      );
    }
  }

  #name(regionId: number): string {
    return this.#regions.get(regionId)?.name ?? String(regionId);
  }
}
