import { statfsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeShortFolder } from '../../../kernel/short-folders.mjs';
import { type Connection, DATABASE, prepareApplicationRole } from './application-role.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { type ClusterOptions, ensureCluster, SUPERUSER } from './cluster.ts';
import { prepareDataDir } from './data-dir.ts';
import { type ClusterLocation, findLocation, SYSTEM_FOLDER } from './location.ts';
import { acquireLock, type DataDirLock } from './lock.ts';
import { type Postmaster, runPostmaster, stopPostmaster } from './postmaster.ts';

/** The part of a pino logger that is used here. */
export interface EmbeddedLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface EmbeddedOptions extends Partial<ClusterOptions> {
  readonly dataDir: string;
  readonly log: EmbeddedLog;
}

export interface EmbeddedPostgres {
  /** A connection string for `pg`; it holds the password, so keep it out of logs and command lines. */
  readonly url: string;
  readonly connection: Connection;
  /** The same as the superuser: for tools, never for the application. */
  readonly admin: Connection;
  /** The postmaster's pid; another one after a restart. */
  readonly pid: number;
  /** Whether the server was found running rather than started. */
  readonly adopted: boolean;
  /** Bytes that are free on the disk of its data; undefined: it cannot be known. */
  freeBytes(): number | undefined;
  /** Calls back whenever the server ended without being asked to; it is restarted in any case. */
  onExit(callback: (reason: string) => void): void;
  /** Shuts the server down and waits for its end. Safe to call twice. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A server that lived this long and then died gets the short pause again. */
const STEADY_AFTER_MS = 60_000;

/**
 * Starts (or adopts) the PostgreSQL of a data directory and keeps it running until `stop`.
 * The caller holds the directory's lock. The database `virga` exists when this resolves.
 * @throws StartError with one line for the person at the terminal
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  prepareDataDir(options.dataDir);
  const location = findLocation(options.dataDir);
  const lock = location.movedBecauseOf ? lockMovedHome(location) : undefined;
  try {
    const binaries = await prepareBinaries(location.account, path.join(options.dataDir, 'binaries'));
    sayWhatMoved(location, binaries, options.log);
    const cluster = { settings: options.settings ?? {}, durable: options.durable ?? true };
    const password = await ensureCluster(location, binaries, cluster);
    const supervisor = new Supervisor(location, binaries, options.log, lock);
    await supervisor.start();
    const admin = { host: location.socketDir, port: 5432, user: SUPERUSER, password };
    const connection = await prepareApplicationRole(admin).catch(async (error) => {
      await supervisor.stop();
      throw error;
    });
    return describe(supervisor, connection, { ...admin, database: DATABASE });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** A copied data directory names the same data elsewhere; two servers must not both use it. */
function lockMovedHome(location: ClusterLocation): DataDirLock {
  return acquireLock(
    location.home,
    (holder) => `The data in ${location.home} is in use by pid ${holder.pid}`,
  );
}

function sayWhatMoved(location: ClusterLocation, binaries: Binaries, log: EmbeddedLog): void {
  if (location.movedBecauseOf) {
    log.info(
      {},
      `PostgreSQL lives in ${location.home}, since only root may enter ${location.movedBecauseOf}`,
    );
  } else if (binaries.copiedBecause && binaries.root.startsWith(SYSTEM_FOLDER)) {
    log.info({}, `PostgreSQL's programs are in ${binaries.root}, since ${binaries.copiedBecause}`);
  }
}

function describe(supervisor: Supervisor, connection: Connection, admin: Connection): EmbeddedPostgres {
  const { host, user, password, database } = connection;
  return {
    url: `postgresql://${user}:${password}@/${database}?host=${encodeURIComponent(host)}`,
    connection,
    admin,
    get pid() {
      return supervisor.pid;
    },
    adopted: supervisor.adopted,
    freeBytes: () => supervisor.freeBytes(),
    onExit: (callback) => supervisor.onExit(callback),
    stop: () => supervisor.stop(),
  };
}

/** One in the temporary folder would stay there for ever when the data directory is deleted. */
function removeSocketDir(location: ClusterLocation): void {
  if (path.dirname(location.socketDir) === location.home) return;
  removeShortFolder(location.socketDir);
}

/** Keeps one postmaster running. */
class Supervisor {
  readonly #location: ClusterLocation;
  readonly #binaries: Binaries;
  readonly #log: EmbeddedLog;
  readonly #lock: DataDirLock | undefined;
  readonly #callbacks: ((reason: string) => void)[] = [];
  readonly #stopping = new AbortController();
  #current: Postmaster | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    location: ClusterLocation,
    binaries: Binaries,
    log: EmbeddedLog,
    lock: DataDirLock | undefined,
  ) {
    this.#location = location;
    this.#binaries = binaries;
    this.#log = log;
    this.#lock = lock;
  }

  get pid(): number {
    return this.#current?.pid ?? 0;
  }

  get adopted(): boolean {
    return this.#current?.adopted ?? false;
  }

  freeBytes(): number | undefined {
    try {
      const { bavail, bsize } = statfsSync(this.#location.clusterDir);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  onExit(callback: (reason: string) => void): void {
    this.#callbacks.push(callback);
  }

  async start(): Promise<void> {
    const first = await runPostmaster(this.#location, this.#binaries);
    this.#current = first;
    this.#loop = this.#watch(first);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#current) await stopPostmaster(this.#current.pid);
    await this.#loop;
    removeSocketDir(this.#location);
    this.#lock?.release();
  }

  async #watch(first: Postmaster): Promise<void> {
    let postmaster: Postmaster | undefined = first;
    let pauseMs = FIRST_PAUSE_MS;
    while (postmaster) {
      const since = performance.now();
      const reason = await postmaster.exited;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - since > STEADY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      this.#log.error({ reason, pid: postmaster.pid }, 'PostgreSQL ended unexpectedly; starting it again');
      for (const callback of this.#callbacks) callback(reason);
      postmaster = await this.#restart(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Tries until it runs again; undefined when it was asked to stop meanwhile. */
  async #restart(firstPauseMs: number): Promise<Postmaster | undefined> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return undefined;
      try {
        const postmaster = await runPostmaster(this.#location, this.#binaries);
        this.#current = postmaster;
        if (!this.#stopping.signal.aborted) return postmaster;
        await stopPostmaster(postmaster.pid);
        return undefined;
      } catch (error) {
        this.#log.error({ err: error }, 'PostgreSQL could not be started again; trying once more');
      }
    }
  }
}
