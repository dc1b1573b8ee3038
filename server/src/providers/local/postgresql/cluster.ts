import type {
  Backup,
  ClusterChange,
  DesiredCluster,
  ObservedCluster,
  ServersSeen,
} from '../../../features/managed-postgresql/port.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { type HostAddresses, madeElsewhere } from '../host/engine.ts';
import { makeOwnFolder } from '../host/files.ts';
import { archiveNow, Backups, restoreCommand } from './backups.ts';
import { type BringUpDeps, bringUp, startPrimary } from './bring-up.ts';
import type { Role } from './configuration.ts';
import { Losses } from './losses.ts';
import { measure, unmeasured } from './measure.ts';
import { phaseOf } from './next.ts';
import { makeFolders, type NodeName, pathsOf, removeFolders } from './paths.ts';
import { Pooler, type PoolerProgram } from './pooler.ts';
import { Replication } from './replication.ts';
import { applyRoles } from './roles.ts';
import { Server } from './server.ts';
import { readFiles, writeFiles } from './server-files.ts';
import { describe, endSessions, type Full, judge, pauseUntilNextLook } from './storage-watch.ts';
import type { Templates } from './templates.ts';
import { Upgrade } from './upgrade.ts';

export interface ClusterDeps {
  readonly root: string;
  readonly templates: Templates;
  readonly addresses: HostAddresses;
  readonly log: { warn(details: object, message: string): void };
  /** Milliseconds. */
  now(): number;
  readonly bytesPerGib: number;
  folderOf(version: string): Promise<string | undefined>;
  /** The program of the pooler. */
  pooler(): PoolerProgram;
  /** pg_dump, with what goes with it beside it. */
  tools(): string | undefined;
  /** Wall-clock time. */
  date(): Date;
  /** Makes a change of this cluster, when no other one is made. */
  change<T>(action: () => Promise<T>): Promise<T>;
}

/** The servers of one cluster. Whoever calls lets nobody else change it meanwhile. */
export class Cluster {
  readonly #id: string;
  readonly #deps: ClusterDeps;
  readonly #replication: Replication;
  readonly #pooler: Pooler;
  readonly #backups: Backups;
  readonly #upgrade: Upgrade;
  /** The schedule of backups by which the server is set. */
  #schedule: string | undefined;
  #desired: DesiredCluster | undefined;
  #seen: { readonly until: number; readonly observed: ObservedCluster } | undefined;
  readonly #losses = new Losses();
  readonly #bringUpDeps: BringUpDeps;

  constructor(id: string, deps: ClusterDeps) {
    this.#id = id;
    this.#deps = deps;
    this.#pooler = new Pooler(pathsOf(deps.root, id).home);
    this.#backups = new Backups(pathsOf(deps.root, id).home, deps);
    this.#bringUpDeps = {
      servers: () => this.#servers(),
      write: (server, desired) => this.#write(server, desired),
      losses: this.#losses,
      date: deps.date,
      log: deps.log,
    };
    this.#replication = new Replication({
      servers: () => this.#servers(),
      desired: () => this.#desired,
      write: (server, desired) => this.#write(server, desired),
      load: (desired) => this.#load(desired),
      change: deps.change,
      log: deps.log,
    });
    this.#upgrade = new Upgrade({
      servers: () => ({ ...this.#servers(), next: this.#server('next') }),
      templates: deps.templates,
      folderOf: deps.folderOf,
      tools: deps.tools,
      write: (server, desired) => this.#write(server, desired),
      serve: (desired, binaries) => this.#serve(desired, binaries),
      forgetBackups: () => this.#backups.forget(),
    });
  }

  /** The major version that it has; undefined: it has no data. */
  get version(): string | undefined {
    const { primary } = this.#servers();
    return primary.notes?.upgrade?.from ?? primary.version();
  }

  /** The address that it was given. */
  get host(): string | undefined {
    return this.#server('a').notes?.host;
  }

  /** What is known of one that could not be looked at; undefined: not even what it should be. */
  seenWith(fault: string): ObservedCluster | undefined {
    const desired = this.#desired;
    if (!desired) return undefined;
    const observed = this.#seen?.observed ?? unmeasured(this.#sizeOf(desired));
    const backups = desired.backups ? this.#backups.kept() : [];
    return { ...observed, backups, servers: this.#describe(desired, null), fault };
  }

  /** Whether its data are here. */
  isMade(): boolean {
    return this.#servers().primary.isMade();
  }

  settleAt(host: string): void {
    const server = this.#server('a');
    makeFolders(server.paths);
    server.note({ host });
  }

  /** Brings it to what is desired. @returns what is still to come, in words; null: nothing */
  async apply(desired: DesiredCluster, change: ClusterChange, binaries: string): Promise<string | null> {
    this.#desired = desired;
    const upgrading = await this.#upgrade.reconcile(desired, binaries);
    if (upgrading !== null) return upgrading;
    if (!change.isNew && !this.isMade()) throw new TaskFailed(madeElsewhere('cluster'));
    if (!this.#servers().primary.hasData()) await this.#make(desired, change, binaries);
    await this.#deps.addresses.add([desired.host]);
    await this.#serve(desired, binaries);
    const { primary } = this.#servers();
    if (primary.notes?.restore) {
      // Clients get in as soon as the data is consistent, long before everything has been replayed.
      if (await primary.isRecovering()) return 'replaying what was changed since the backup';
      await this.#endRestore(desired, binaries);
    }
    await this.#replication.release(desired);
    await primary.ownPassword();
    await applyRoles(primary, desired, change);
    // A storage that has become larger helps at once.
    if (primary.notes?.full) await this.#look(primary, desired);
    this.#seen = undefined;
    const step = await this.#replication.reconcile(desired, binaries, 'change');
    const fault = await this.#reconcilePooler(desired);
    if (fault !== null) throw new TaskFailed(fault);
    this.#remember();
    if (step === null) this.#servers().primary.settle();
    return step;
  }

  /** The data of a new one: empty, or those of another one at some moment. */
  async #make(desired: DesiredCluster, { source }: ClusterChange, binaries: string): Promise<void> {
    const { primary } = this.#servers();
    const { root, templates } = this.#deps;
    const { version, host } = desired;
    makeFolders(primary.paths);
    if (!source) return primary.initialize(binaries, templates, version, { host, isNew: true });
    const other = new Cluster(source.cluster_id, this.#deps);
    const backups = new Backups(pathsOf(root, source.cluster_id).home, this.#deps);
    const backup = backups.before(source.until);
    const { primary: from } = other.#servers();
    await archiveNow(from);
    const { home, replay } = primary.paths;
    await removeFolder(replay);
    makeOwnFolder(replay, home);
    await backups.copyLog(backup, replay, home);
    const restore = { command: restoreCommand(replay), until: source.until };
    const copy = { folder: backup.folder, home: from.paths.home };
    await primary.fillFrom(copy, binaries, {
      host,
      isNew: true,
      former: from.notes?.password ?? '',
      restore,
    });
  }

  /** It has what it was to have: from here on it is a server like any other. */
  async #endRestore(desired: DesiredCluster, binaries: string): Promise<void> {
    const { primary } = this.#servers();
    if (!primary.notes) return;
    const { restore: _, ...notes } = primary.notes;
    primary.note(notes);
    await this.#serve(desired, binaries);
    await removeFolder(primary.paths.replay);
  }

  /** Brings back what died, and measures from time to time. */
  async observe(desired: DesiredCluster): Promise<ObservedCluster> {
    this.#desired = desired;
    // No task brings it to another version any more.
    if (this.#servers().primary.notes?.upgrade) await this.#upgrade.goBack();
    if (!this.isMade()) throw new Error(madeElsewhere('cluster'));
    const missing = await this.#repair(desired);
    const backups = await this.#reconcileBackups(desired);
    const seen = this.#seen;
    const servers = this.#describe(desired, missing);
    if (seen && this.#deps.now() < seen.until)
      return { ...seen.observed, backups, servers, fault: seen.observed.fault ?? missing };
    const { primary, replica } = this.#servers();
    for (const server of [primary, replica]) server.trimLog();
    const observed = await this.#look(primary, desired);
    return { ...observed, backups, servers, fault: observed.fault ?? missing };
  }

  /** Whether one of the processes of a cluster with a replica has ended, or does nothing any more. */
  hasLostOne(): boolean {
    if (this.#watched() === undefined) return false;
    this.#losses.look();
    return this.#losses.any;
  }

  /** What `hasLostOne` saw is repaired, unless a change that came first has done so, or is at it; when that fails, the
   *  next look at all clusters tries again. */
  async recover(): Promise<void> {
    const desired = this.#watched();
    if (!desired || !this.#losses.any) return;
    this.#losses.watch([]);
    await this.#repair(desired);
  }

  /** What it is to be, while its processes are watched: with a replica, and not in the middle of an upgrade. */
  #watched(): DesiredCluster | undefined {
    const desired = this.#desired;
    if (!desired || desired.replication === null) return undefined;
    return this.#server('a').notes?.upgrade ? undefined : desired;
  }

  async remove(): Promise<void> {
    this.#desired = undefined;
    await this.#endWork();
    await this.#pooler.stop();
    for (const node of ['next', 'b', 'a'] as const) await this.#server(node).fence();
    await this.#leaveAddress();
    await removeFolders(this.#deps.root, this.#id);
  }

  /** Ends its servers; the replica last, so that it has everything. */
  async stop(): Promise<void> {
    const { primary, replica } = this.#servers();
    await this.#pooler.stop();
    await this.#server('next').fence();
    await primary.stop();
    await replica.stop();
    await this.#leaveAddress();
  }

  async #leaveAddress(): Promise<void> {
    if (this.host !== undefined) await this.#deps.addresses.remove([this.host]);
  }

  /** Looks after it no longer. */
  async release(): Promise<void> {
    this.#desired = undefined;
    await this.#endWork();
  }

  /** What goes on beside. */
  async #endWork(): Promise<void> {
    await Promise.all([this.#replication.close(), this.#backups.close(), this.#upgrade.close()]);
  }

  /** Which server does what, and what the cluster is doing.
   *  @param missing what is still to come, in words */
  #describe({ replication }: DesiredCluster, missing: string | null): ServersSeen {
    const { primary, replica } = this.#servers();
    const { mayTakeOver = false, isTakingOver = false, full, tookOverAt = null } = primary.notes ?? {};
    return {
      primary: primary.paths.node,
      replica: replication === null ? null : { name: replica.paths.node, may_take_over: mayTakeOver },
      missing,
      phase: phaseOf({
        isServing: primary.running() !== null && !primary.isStandby(),
        isTakingOver,
        full,
        replica: replication === null ? null : { hasData: replica.hasData(), mayTakeOver },
      }),
      took_over_at: tookOverAt,
    };
  }

  #server(node: NodeName): Server {
    return new Server(pathsOf(this.#deps.root, this.#id, node));
  }

  #servers(): { readonly primary: Server; readonly replica: Server } {
    const first = this.#server('a');
    const second = this.#server('b');
    return first.notes?.primary === 'b'
      ? { primary: second, replica: first }
      : { primary: first, replica: second };
  }

  #remember(): void {
    const { primary, replica } = this.#servers();
    this.#losses.watch([primary, replica]);
  }

  /** Starts what has ended, or lets the replica take over. @returns what is missing still */
  async #repair(desired: DesiredCluster): Promise<string | null> {
    const version = this.version ?? desired.version;
    const binaries = await this.#deps.folderOf(version);
    if (binaries === undefined) throw new Error(`PostgreSQL ${version} is being installed`);
    await this.#deps.addresses.add([desired.host]);
    const taken = await bringUp(this.#bringUpDeps, desired, binaries);
    if (taken.includes('start the primary'))
      this.#deps.log.warn({ cluster: desired.id }, 'a PostgreSQL server that had ended is back');
    this.#losses.forgetFrozen();
    if (this.#servers().primary.notes?.isUnread) await this.#load(desired);
    await this.#replication.release(desired);
    const unpooled = await this.#reconcilePooler(desired);
    const missing = await this.#replication.reconcile(desired, binaries, 'look');
    this.#remember();
    return missing ?? unpooled;
  }

  /** @returns the backups that there are */
  async #reconcileBackups(desired: DesiredCluster): Promise<readonly Backup[]> {
    const { primary } = this.#servers();
    const schedule = JSON.stringify(desired.backups);
    if (this.#schedule !== schedule) await this.#load(desired);
    this.#schedule = schedule;
    const binaries = await this.#deps.folderOf(this.version ?? desired.version);
    return binaries === undefined ? [] : this.#backups.reconcile(desired.backups, primary, binaries);
  }

  #reconcilePooler(desired: DesiredCluster): Promise<string | null> {
    return this.#pooler.reconcile(desired, this.#servers().primary, this.#deps.pooler());
  }

  /** Brings the primary to let clients in, by files that are as they should be. */
  async #serve(desired: DesiredCluster, binaries: string): Promise<void> {
    const taken = await bringUp(this.#bringUpDeps, desired, binaries);
    if (taken.includes('start the primary')) return;
    await this.#load(desired);
    const { primary } = this.#servers();
    // It may have been read before, by who had no time for a restart or was killed ahead of it.
    if (!(await primary.needsRestart())) return;
    await primary.stop();
    await startPrimary(this.#bringUpDeps, desired, binaries);
  }

  /** Has the primary serve by files that are as they should be, if it runs. */
  async #load(desired: DesiredCluster): Promise<void> {
    const { primary } = this.#servers();
    this.#write(primary, desired);
    if (primary.running()) await readFiles(primary);
  }

  #write(server: Server, desired: DesiredCluster): void {
    const { paths, notes } = server;
    const { primary } = this.#servers();
    const isClosed = notes?.upgrade !== undefined;
    const role: Role = [primary.paths.node, 'next'].includes(paths.node)
      ? { isPrimary: true, isSynchronous: notes?.isSynchronous ?? false, restore: notes?.restore }
      : { isPrimary: false, primary: primary.paths, password: notes?.password ?? '' };
    const full = notes?.full;
    const { archiveCommand } = this.#backups;
    // Of two versions at once nothing is archived.
    const kept = isClosed ? { ...desired, backups: null } : desired;
    if (kept.backups) this.#backups.makeFolder();
    const state = { size: this.#sizeOf(desired), full, role, archiveCommand, isClosed };
    writeFiles(server, kept, state);
  }

  /** Measures, and lets the databases only be read before the storage is full. */
  async #look(primary: Server, desired: DesiredCluster): Promise<ObservedCluster> {
    const size = this.#sizeOf(desired);
    const measured = await measure(primary, size);
    const used = measured.metrics.storage.used_bytes;
    const before = primary.notes?.full;
    const full = judge(before, used, size);
    if (JSON.stringify(full) !== JSON.stringify(before)) await this.#setFull(primary, desired, full);
    const observed = { ...measured, fault: describe(full) };
    this.#seen = { until: this.#deps.now() + pauseUntilNextLook(used, size), observed };
    return observed;
  }

  async #setFull(primary: Server, desired: DesiredCluster, full: Full | undefined): Promise<void> {
    const { notes } = primary;
    if (!notes) return;
    const { full: _, ...rest } = notes;
    const isUnread = true;
    // A step that fails, or is not reached, is done with the next look.
    primary.note({ ...rest, isUnread, ...(full && { full: { ...full, isPending: true } }) });
    await this.#load(desired);
    await this.#reconcilePooler(desired);
    if (!full) return;
    await endSessions(primary, full);
    if (primary.notes) primary.note({ ...primary.notes, full });
  }

  #sizeOf({ storage }: DesiredCluster): number {
    return storage.size_gib * this.#deps.bytesPerGib;
  }
}
