import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type {
  ClusterChange,
  Conf,
  DesiredCluster,
  ObservedCluster,
  Offer,
  PostgresqlProvider,
} from '../../../features/managed-postgresql/port.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import { engineRoot } from '../load-balancers/engine-root.ts';
import { makePassage, readText, writeForEngine } from '../load-balancers/files.ts';
import { hurried } from '../load-balancers/programs.ts';
import { eachAtMost, Serial } from '../load-balancers/serial.ts';
import { NotOwner, type OwnerFence } from '../owner-fence.ts';
import { confFaults, removeLostChecks } from './check-conf.ts';
import { renderConf, renderHba } from './configuration.ts';
import { measure } from './measure.ts';
import { makePlace, placeOf, placesIn, removePlace } from './place.ts';
import { applyRoles } from './roles.ts';
import { Server } from './server.ts';
import { describe, endSessions, type Full, judge, pauseUntilNextLook } from './storage-watch.ts';
import { Templates } from './templates.ts';

/** The programs of the versions that can be run here. */
export interface PostgresqlPrograms {
  /** Major versions, the newest first. */
  versions(): readonly string[];
  /** The folder with `bin`, `lib` and `share`, installed when it is needed for the first time; undefined: not yet.
   *  @throws TaskFailed when it cannot be had */
  folderOf(version: string): Promise<string | undefined>;
}

export interface LocalPostgresqlOptions {
  readonly dataDir: string;
  readonly log: { warn(details: object, message: string): void };
  readonly fence: Pick<OwnerFence, 'hold' | 'isOwner'>;
  readonly programs: PostgresqlPrograms;
  /** A free address of this machine. */
  readonly allocateAddress: (taken: ReadonlySet<string>) => Promise<string>;
  /** Milliseconds. */
  readonly now?: () => number;
  /** Bytes of a GiB of storage; less in tests, which fill it. */
  readonly bytesPerGib?: number;
}

const GIB = 2 ** 30;
const INSTALL_LOOK_MS = 500;
const SIDE_BY_SIDE = 2;
const NOT_HERE = 'this region runs on one machine, and does not have it yet';
const FLAVORS = [
  [1, 1],
  [1, 2],
  [2, 4],
  [4, 8],
  [8, 16],
] as const;

interface Seen {
  /** Milliseconds; what is seen then counts until `until`. */
  readonly until: number;
  readonly observed: ObservedCluster;
}

/** PostgreSQL servers of this machine, one for each cluster, each on an address of its own. */
export class LocalPostgresql implements PostgresqlProvider {
  readonly #options: LocalPostgresqlOptions;
  readonly #root: string;
  readonly #serial = new Serial();
  readonly #seen = new Map<string, Seen>();
  readonly #templates: Templates;
  #closed = false;

  constructor(options: LocalPostgresqlOptions) {
    this.#options = options;
    this.#root = engineRoot(join(options.dataDir, 'postgresql'));
    makePassage(this.#root);
    removeLostChecks(this.#root);
    this.#templates = new Templates(this.#root);
  }

  /** Addresses of all clusters, whether they run or not. */
  addresses(): string[] {
    return placesIn(this.#root).flatMap((id) => this.#server(id).notes?.host ?? []);
  }

  async offer(): Promise<Offer> {
    const gib = Math.max(1, Math.floor(totalmem() / GIB));
    const fitting = FLAVORS.filter(([cpu, memory]) => cpu <= availableParallelism() && memory <= gib);
    const flavors = fitting.length > 0 ? fitting : FLAVORS.slice(0, 1);
    return {
      versions: this.#options.programs.versions(),
      storageClasses: ['standard'],
      flavors: flavors.map(([cpu, memory_gib]) => ({ cpu, memory_gib })),
      noHighAvailability: NOT_HERE,
      noPooler: NOT_HERE,
      noMajorUpgrade: NOT_HERE,
    };
  }

  async confFaults(version: string, conf: Conf): Promise<readonly string[]> {
    const binaries = await this.#binaries(version);
    if (binaries === undefined)
      throw new TaskFailed(`PostgreSQL ${version} is being installed; try again in a moment`);
    return confFaults(this.#root, binaries, conf);
  }

  async prepare(): Promise<void> {
    for (const version of this.#options.programs.versions().slice(0, 1)) {
      const binaries = await this.#binaries(version);
      if (binaries !== undefined)
        await this.#options.fence.hold(() => this.#templates.prepare(version, binaries));
    }
  }

  hostOf(id: string): Promise<string> {
    return this.#change(id, async () => {
      const server = this.#server(id);
      const known = server.notes?.host;
      if (known !== undefined) return known;
      const host = await this.#options.allocateAddress(new Set(this.addresses()));
      makePlace(server.place);
      server.note({ host });
      return host;
    });
  }

  async applyCluster(
    desired: DesiredCluster,
    change: ClusterChange,
    _operation: Operation,
  ): Promise<Progress> {
    const binaries = await this.#binaries(desired.version);
    const step = `installing PostgreSQL ${desired.version}`;
    if (binaries === undefined) return { ready: false, retryInMs: INSTALL_LOOK_MS, step };
    await this.#change(desired.id, () => this.#apply(desired, change, binaries));
    return READY;
  }

  async removeCluster(id: string, _operation: Operation): Promise<Progress> {
    await this.#change(id, async () => {
      const server = this.#server(id);
      await server.stop();
      removePlace(server.place);
      this.#seen.delete(id);
    });
    return READY;
  }

  async observeClusters(clusters: readonly DesiredCluster[]): Promise<ReadonlyMap<string, ObservedCluster>> {
    const found = new Map<string, ObservedCluster>();
    await eachAtMost(SIDE_BY_SIDE, clusters, async (desired) => {
      if (this.#serial.isBusy(desired.id)) return;
      try {
        found.set(desired.id, await this.#change(desired.id, () => this.#observe(desired)));
      } catch (error) {
        if (error instanceof NotOwner) return;
        this.#options.log.warn({ err: error, cluster: desired.id }, 'a PostgreSQL cluster does not serve');
        const seen = this.#seen.get(desired.id)?.observed;
        if (seen) found.set(desired.id, { ...seen, fault: messageOf(error) });
      }
    });
    return found;
  }

  /** Lets go of the servers, or ends them. */
  async letGo(programs: 'leave' | 'stop'): Promise<void> {
    await hurried(this.#serial.idle());
    if (programs === 'stop') await eachAtMost(4, placesIn(this.#root), (id) => this.#server(id).stop());
    this.#seen.clear();
  }

  async close(programs: 'leave' | 'stop'): Promise<void> {
    this.#closed = true;
    const mayStop = programs === 'stop' && this.#options.fence.isOwner;
    if (!mayStop) return this.letGo('leave');
    await this.#options.fence
      .hold(() => this.letGo('stop'))
      .catch((error: unknown) => {
        if (!(error instanceof NotOwner)) throw error;
      });
  }

  /** One change after the other for each cluster, and none when another process owns the region.
   *  @throws NotOwner */
  #change<T>(id: string, action: () => Promise<T>): Promise<T> {
    return this.#options.fence.hold(() =>
      this.#serial.run(id, () => {
        if (this.#closed) throw new Error('the provider is closed');
        return action();
      }),
    );
  }

  #server(id: string): Server {
    return new Server(placeOf(this.#root, id));
  }

  async #binaries(version: string): Promise<string | undefined> {
    return this.#options.programs.folderOf(version);
  }

  async #apply(desired: DesiredCluster, change: ClusterChange, binaries: string): Promise<void> {
    const server = this.#server(desired.id);
    if (!server.hasData()) {
      if (!change.isNew)
        throw new TaskFailed('The data of this cluster is not in the data directory of its region');
      makePlace(server.place);
      await server.initialize(binaries, this.#templates, desired.version, { host: desired.host });
    }
    await this.#serve(server, desired, binaries);
    await server.ownPassword();
    await applyRoles(server, desired, change);
    // A storage that has become larger helps at once.
    if (server.notes?.full) await this.#look(server, desired);
    this.#seen.delete(desired.id);
  }

  /** Writes its files, and brings it to serve by them. */
  async #serve(server: Server, desired: DesiredCluster, binaries: string): Promise<void> {
    makePlace(server.place);
    const isChanged = this.#write(server, desired);
    if (!server.running()) return server.start(binaries);
    if (!isChanged || !(await server.reload())) return;
    await server.stop();
    await server.start(binaries);
  }

  /** @returns whether a file is another one than before */
  #write({ place, notes }: Server, desired: DesiredCluster): boolean {
    const files = [
      [place.conf, renderConf(desired, place, this.#sizeOf(desired), notes?.full)],
      [place.hba, renderHba(desired, notes?.full)],
      [place.certificate, desired.tls.certificate],
      [place.key, desired.tls.privateKey],
    ] as const;
    const changed = files.filter(([path, text]) => readText(path) !== text);
    for (const [path, text] of changed) writeForEngine(path, text);
    return changed.length > 0;
  }

  /** Brings back what died, and measures from time to time. */
  async #observe(desired: DesiredCluster): Promise<ObservedCluster> {
    const server = this.#server(desired.id);
    if (!server.hasData()) throw new Error('its data is not in the data directory of its region');
    if (!server.running()) {
      const binaries = await this.#binaries(desired.version);
      if (binaries === undefined) throw new Error(`PostgreSQL ${desired.version} is being installed`);
      await this.#serve(server, desired, binaries);
      this.#options.log.warn({ cluster: desired.id }, 'a PostgreSQL server that had ended is back');
    }
    const seen = this.#seen.get(desired.id);
    if (seen && this.#now() < seen.until) return seen.observed;
    server.trimLog();
    return this.#look(server, desired);
  }

  /** Measures, and lets the databases only be read before the storage is full. */
  async #look(server: Server, desired: DesiredCluster): Promise<ObservedCluster> {
    const size = this.#sizeOf(desired);
    const measured = await measure(server, size);
    const used = measured.metrics.storage.used_bytes;
    const before = server.notes?.full;
    const full = judge(before, used, size);
    if (JSON.stringify(full) !== JSON.stringify(before)) await this.#setFull(server, desired, full);
    const observed = { ...measured, fault: describe(full) };
    this.#seen.set(desired.id, { until: this.#now() + pauseUntilNextLook(used, size), observed });
    return observed;
  }

  async #setFull(server: Server, desired: DesiredCluster, full: Full | undefined): Promise<void> {
    const { notes } = server;
    if (!notes) return;
    const { full: _, ...rest } = notes;
    server.note(full ? { ...rest, full } : rest);
    if (this.#write(server, desired)) await server.reload();
    if (full) await endSessions(server, full);
  }

  #sizeOf({ storage }: DesiredCluster): number {
    return storage.size_gib * (this.#options.bytesPerGib ?? GIB);
  }

  #now(): number {
    return (this.#options.now ?? (() => performance.now()))();
  }
}

export const createLocalPostgresql = (options: LocalPostgresqlOptions) => new LocalPostgresql(options);
