import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { makeOwnFolder } from '../host/files.ts';
import { type Databases, feed, obstacles } from './feed.ts';
import { makeFolders, removeNode } from './paths.ts';
import type { Server } from './server.ts';
import type { Templates } from './templates.ts';

/** What brings a cluster to a newer version needs of it. */
export interface UpgradeDeps {
  servers(): { readonly primary: Server; readonly replica: Server; readonly next: Server };
  readonly templates: Templates;
  folderOf(version: string): Promise<string | undefined>;
  /** pg_dump. */
  tools(): string | undefined;
  /** Brings the files of a server to what they should be. */
  write(server: Server, desired: DesiredCluster): void;
  /** Brings the primary to serve by its files. */
  serve(desired: DesiredCluster, binaries: string): Promise<void>;
  forgetBackups(): Promise<void>;
}

const STOP_MS = 60_000;
/** Nothing is lost by these: what is filled counts only when it was ended in order. */
const QUICK = 'synchronous_commit = off\nautovacuum = off\nfull_page_writes = off\n';

/** Brings a cluster to a newer major version: a new server is filled from the old one, to which nobody may connect
 *  meanwhile, and takes its place. Until it does, and answers there, the old data are what counts: whatever fails or is
 *  killed, they serve again. */
export class Upgrade {
  readonly #deps: UpgradeDeps;
  #end = new AbortController();
  /** The filling, while it goes on. */
  #feeding: Promise<void> | undefined;
  #fed: Databases | undefined;
  #failure: unknown;

  constructor(deps: UpgradeDeps) {
    this.#deps = deps;
  }

  /** Goes a step on. @returns what is still to come, in words; null: the data are of the version that is desired
   *  @throws TaskFailed when they cannot be brought there */
  async reconcile(desired: DesiredCluster, binaries: string): Promise<string | null> {
    const { primary } = this.#deps.servers();
    const { upgrade } = primary.notes ?? {};
    const from = upgrade?.from ?? primary.version();
    if (from === undefined || Number(desired.version) <= Number(from)) {
      if (upgrade) await this.goBack();
      else await this.#clear();
      return null;
    }
    const step = `the data are brought into PostgreSQL ${desired.version}`;
    if (this.#feeding) return step;
    if (this.#failure !== undefined) {
      const failure = this.#failure;
      this.#failure = undefined;
      throw failure;
    }
    if (this.#fed) {
      await this.#takeOver(desired, binaries, this.#fed);
      return null;
    }
    await this.#begin(desired, from, binaries);
    return step;
  }

  /** Back to the old data. A server that ran for us alone is ended before that is forgotten. */
  async goBack(): Promise<void> {
    await this.close();
    const { primary, next } = this.#deps.servers();
    await next.fence();
    if (primary.notes?.upgrade) await primary.stop(STOP_MS);
    if (existsSync(formerOf(primary))) {
      await primary.fence();
      await removeFolder(primary.paths.data);
      renameSync(formerOf(primary), primary.paths.data);
      sync(primary.paths.base);
    }
    await this.#clear();
    const { upgrade, ...notes } = primary.notes ?? { host: '' };
    if (upgrade) primary.note(notes);
  }

  /** Nothing more is done. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#feeding;
    this.#end = new AbortController();
    this.#fed = undefined;
    this.#failure = undefined;
  }

  async #begin(desired: DesiredCluster, from: string, binaries: string): Promise<void> {
    const tools = this.#deps.tools();
    if (tools === undefined) throw new TaskFailed('pg_dump is missing on this machine');
    const old = await this.#deps.folderOf(from);
    if (old === undefined) throw new Error(`PostgreSQL ${from} is being installed`);
    // What a crash left of an earlier attempt.
    await this.goBack();
    // Its own settings may be none that the old one knows.
    const plain = { ...desired, version: from, pg_conf: '' };
    // Its replica may take the place of a primary that was lost.
    if (!this.#deps.servers().primary.running()) await this.#deps.serve(plain, old);
    const { primary } = this.#deps.servers();
    const fault = await obstacles(primary, binaries, desired.version);
    if (fault !== undefined) throw new TaskFailed(fault);
    const { notes } = primary;
    if (!notes) throw new Error(`nothing is noted of cluster ${desired.id}`);
    // The replica is of no use any more: should the old data serve again, it has to prove itself anew.
    const alone = { isSynchronous: false, mayTakeOver: false };
    primary.note({ ...notes, ...alone, upgrade: { from, to: desired.version } });
    await this.#deps.serve(plain, old);
    this.#feeding = this.#feed(desired, binaries, tools)
      .then((databases) => {
        this.#fed = databases;
      })
      .catch((error: unknown) => {
        this.#failure = this.#blame(error);
      })
      .finally(() => {
        this.#feeding = undefined;
      });
  }

  /** A server that was lost on the way is no fault of the data: it is begun again. */
  #blame(error: unknown): unknown {
    const { primary, next } = this.#deps.servers();
    if (!primary.running() || !next.running()) return new Error(messageOf(error));
    return new TaskFailed(`The data could not be brought over, and stay as they were: ${messageOf(error)}`);
  }

  async #feed(desired: DesiredCluster, binaries: string, tools: string): Promise<Databases> {
    const { primary, next } = this.#deps.servers();
    const { paths } = next;
    makeFolders(paths);
    makeOwnFolder(paths.draft, paths.home);
    const former = await this.#deps.templates.copyTo(paths.draft, paths.home, desired.version, binaries);
    if (primary.notes) primary.note({ ...primary.notes, former });
    renameSync(paths.draft, paths.data);
    this.#deps.write(next, { ...desired, pg_conf: QUICK, replication: null });
    await next.start(binaries);
    await next.ownPassword();
    return feed({ from: primary, to: next, tools, version: desired.version, signal: this.#end.signal });
  }

  /** The new data take the place of the old ones, which stay until these answer there. */
  async #takeOver(desired: DesiredCluster, binaries: string, databases: Databases): Promise<void> {
    const { primary, replica, next } = this.#deps.servers();
    await next.stop(STOP_MS);
    await primary.stop(STOP_MS);
    renameSync(primary.paths.data, formerOf(primary));
    renameSync(next.paths.data, primary.paths.data);
    for (const folder of [primary.paths.base, next.paths.base]) sync(folder);
    try {
      await this.#deps.serve(desired, binaries);
      for (const name of databases) await primary.asking(name, (client) => client.query('select 1'));
    } catch (error) {
      await this.goBack();
      throw error;
    }
    // The replica is one of the old version, and made anew.
    await replica.fence();
    await removeNode(replica.paths);
    await this.#deps.forgetBackups();
    await primary.stop(STOP_MS);
    const { upgrade: _, ...notes } = primary.notes ?? { host: desired.host };
    primary.note(notes);
    this.#fed = undefined;
    await this.#clear();
  }

  /** What is left of an upgrade, and no longer counts. */
  async #clear(): Promise<void> {
    const { primary, next } = this.#deps.servers();
    for (const folder of [formerOf(primary), next.paths.base, next.paths.sockets]) await removeFolder(folder);
  }
}

/** Where the old data lie until the new ones count. */
const formerOf = ({ paths }: Server) => join(paths.base, 'former');

/** After a power cut, names are what they were last. */
function sync(folder: string): void {
  const file = openSync(folder, 'r');
  fsyncSync(file);
  closeSync(file);
}
