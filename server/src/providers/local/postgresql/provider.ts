import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  type ClusterChange,
  type Conf,
  type DesiredCluster,
  type ObservedCluster,
  type Offer,
  type PostgresqlProvider,
  RESTORE_CLUSTER,
} from '../../../features/managed-postgresql/port.ts';
import type { DesiredNow } from '../../../kernel/desired.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import type { Leftover } from '../../../kernel/leftover.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import type { Engine, EngineHost } from '../host/engine.ts';
import { engineRoot } from '../host/engine-root.ts';
import { makePassage } from '../host/files.ts';
import { isFull, withRoom } from '../host/full-disk.ts';
import { type Programs, Reconciler } from '../host/reconciler.ts';
import { eachAtMost } from '../host/serial.ts';
import { confFaults, removeLostChecks } from './check-conf.ts';
import { Cluster } from './cluster.ts';
import { homesIn } from './paths.ts';
import { Templates } from './templates.ts';

/** The programs of the versions that can be run here. */
export interface PostgresqlPrograms {
  /** Major versions, the newest first. */
  versions(): readonly string[];
  /** The folder with `bin`, `lib` and `share`, installed when it is needed for the first time; undefined: not yet.
   *  @throws TaskFailed when it cannot be had */
  folderOf(version: string): Promise<string | undefined>;
  /** pg_dump with pg_dumpall and psql beside it, or why it cannot be used and what to do. */
  tools(): { readonly program: string | undefined; readonly fault: string | undefined };
  /** PgBouncer, and why new poolers cannot have it and what to do. */
  pooler(): { readonly program: string | undefined; readonly fault: string | undefined };
}

export interface LocalPostgresqlOptions extends EngineHost {
  readonly programs: PostgresqlPrograms;
  /** Bytes of a GiB of storage; less in tests, which fill it. */
  readonly bytesPerGib?: number;
}

const GIB = 2 ** 30;
const INSTALL_LOOK_MS = 500;
const REPLICA_LOOK_MS = 200;
const SIDE_BY_SIDE = 2;
/** The first version in which a role with CREATEROLE cannot make itself one that runs programs. */
const FIRST_SAFE_CREATEROLE = 16;
const WATCH_EVERY_MS = 100;
const FLAVORS = [
  [1, 1],
  [1, 2],
  [2, 4],
  [4, 8],
  [8, 16],
] as const;

/** PostgreSQL servers of this machine, one for each cluster, each on an address of its own. */
export class LocalPostgresql implements PostgresqlProvider, Engine {
  readonly folder = 'postgresql';
  readonly #options: LocalPostgresqlOptions;
  readonly #root: string;
  readonly #changes: Reconciler;
  readonly #clusters = new Map<string, Cluster>();
  /** What was begun before a deletion may come after it: nothing of it is made again. */
  readonly #removed = new Set<string>();
  readonly #templates: Templates;

  constructor(options: LocalPostgresqlOptions) {
    this.#options = options;
    this.#changes = new Reconciler(options.fence);
    this.#root = engineRoot(join(options.dataDir, this.folder));
    makePassage(this.#root);
    removeLostChecks(this.#root);
    this.#templates = new Templates(this.#root);
    this.#changes.supervise({
      everyMs: WATCH_EVERY_MS,
      due: () => this.#lost(),
      look: async (id) => this.#clusters.get(id)?.recover(),
      failed: (id, error) =>
        options.log.warn({ cluster: id }, `a PostgreSQL cluster did not recover: ${messageOf(error)}`),
    });
  }

  /** Addresses of all clusters, whether they run or not. */
  addresses(): string[] {
    return homesIn(this.#root).flatMap((id) => this.#cluster(id).host ?? []);
  }

  async offer(): Promise<Offer> {
    const gib = Math.max(1, Math.floor(totalmem() / GIB));
    const fitting = FLAVORS.filter(([cpu, memory]) => cpu <= availableParallelism() && memory <= gib);
    const flavors = fitting.length > 0 ? fitting : FLAVORS.slice(0, 1);
    return {
      versions: this.#options.programs.versions(),
      storageClasses: ['standard'],
      flavors: flavors.map(([cpu, memory_gib]) => ({ cpu, memory_gib })),
      noHighAvailability: null,
      createRoleFrom: FIRST_SAFE_CREATEROLE,
      noPooler: this.#options.programs.pooler().fault ?? null,
      noMajorUpgrade: this.#options.programs.tools().fault ?? null,
      noBackups: null,
    };
  }

  async confFaults(version: string, conf: Conf): Promise<readonly string[] | undefined> {
    const binaries = await this.#binaries(version);
    if (binaries === undefined) return undefined;
    return confFaults(this.#root, binaries, conf).catch((error: unknown) => {
      // The task of the change says so.
      if (isFull(error, this.#root)) return undefined;
      throw error;
    });
  }

  async prepare(): Promise<void> {
    for (const version of this.#options.programs.versions().slice(0, 1)) {
      const binaries = await this.#binaries(version);
      if (binaries !== undefined)
        await this.#options.fence.hold(() => this.#templates.prepare(version, binaries));
    }
  }

  hostOf(id: string): Promise<string> {
    const settle = async () => {
      const cluster = this.#cluster(id);
      if (cluster.host === undefined)
        cluster.settleAt(await this.#options.allocateAddress(new Set(this.addresses())));
      return cluster.host ?? '';
    };
    return this.#changeKept(id, settle);
  }

  async applyCluster(desired: DesiredCluster, change: ClusterChange, { type }: Operation): Promise<Progress> {
    // Nothing here has changed.
    if (type === RESTORE_CLUSTER && !this.#cluster(desired.id).isMade()) return READY;
    const binaries = await this.#binaries(desired.version);
    const installing = `installing PostgreSQL ${desired.version}`;
    if (binaries === undefined) return { ready: false, retryInMs: INSTALL_LOOK_MS, step: installing };
    const { id } = desired;
    const apply = () => this.#cluster(id).apply(desired, change, binaries);
    const step = await this.#changeKept(id, apply);
    return step === null ? READY : { ready: false, retryInMs: REPLICA_LOOK_MS, step };
  }

  async versionOf(id: string): Promise<string | undefined> {
    return this.#cluster(id).version;
  }

  async removeCluster(id: string, _operation: Operation): Promise<Progress> {
    await this.#changes.change(id, () => this.#remove(id));
    return READY;
  }

  kept = (): readonly Leftover[] =>
    homesIn(this.#root).map((id) => ({ kind: 'postgresql_cluster', id, creator: null }));

  hasData = (): boolean => homesIn(this.#root).length > 0;

  clear = (id: string): Promise<void> => this.#changes.alone(id, () => this.#remove(id));

  /** It is known no longer, so that nothing supervises it. */
  pause(id: string): Promise<void> {
    return this.#changes.change(id, async () => {
      const cluster = this.#cluster(id);
      await cluster.release();
      await cluster.stop();
      this.#clusters.delete(id);
    });
  }

  observeClusters(
    ids: readonly string[],
    desired: DesiredNow<DesiredCluster>,
  ): Promise<ReadonlyMap<string, ObservedCluster>> {
    return this.#changes.reconcile<DesiredCluster, ObservedCluster>(ids, SIDE_BY_SIDE, {
      desired,
      look: (each) => this.#cluster(each.id).observe(each),
      failed: (id, error) => {
        this.#options.log.warn({ err: error, cluster: id }, 'a PostgreSQL cluster does not serve');
        return this.#cluster(id).seenWith(messageOf(error));
      },
    });
  }

  /** Leaves the servers to another process, or ends them. */
  async release(programs: Programs): Promise<void> {
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.release()));
    await this.#changes.idle();
    if (programs === 'stop') await eachAtMost(4, homesIn(this.#root), (id) => this.#cluster(id).stop());
    this.#clusters.clear();
  }

  close(programs: Programs): Promise<void> {
    return this.#changes.close(programs, (kept) => this.release(kept));
  }

  async #remove(id: string): Promise<void> {
    this.#removed.add(id);
    await this.#cluster(id).remove();
    this.#clusters.delete(id);
  }

  /** @throws TaskFailed when the cluster was removed before */
  #changeKept<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#changes.change(id, async () => {
      if (this.#removed.has(id)) throw new TaskFailed('The cluster was deleted meanwhile');
      return withRoom(this.#root, work);
    });
  }

  async #binaries(version: string): Promise<string | undefined> {
    return this.#options.programs.folderOf(version);
  }

  #cluster(id: string): Cluster {
    const known = this.#clusters.get(id);
    if (known) return known;
    const { log, now, bytesPerGib = GIB, programs, addresses } = this.#options;
    const cluster = new Cluster(id, {
      root: this.#root,
      templates: this.#templates,
      addresses,
      log,
      now: () => performance.now(),
      date: now,
      bytesPerGib,
      folderOf: (version) => programs.folderOf(version),
      pooler: () => programs.pooler(),
      tools: () => programs.tools().program,
      change: (action) => this.#changes.change(id, action),
    });
    this.#clusters.set(id, cluster);
    return cluster;
  }

  /** Clusters with a replica of which a server has died: that cannot wait until all are looked at. */
  *#lost(): Iterable<string> {
    for (const [id, cluster] of this.#clusters)
      if (!this.#changes.isBusy(id) && cluster.hasLostOne()) yield id;
  }
}

export const createLocalPostgresql = (options: LocalPostgresqlOptions) => new LocalPostgresql(options);
