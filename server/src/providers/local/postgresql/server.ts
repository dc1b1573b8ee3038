import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { readJson, removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import {
  allPids,
  commandLine,
  identify,
  isAlive,
  type ProcessIdentity,
  processOf,
  signalProcess,
  terminate,
} from '../../../kernel/processes.ts';
import { copyTree } from '../host/copy-tree.ts';
import { giveToEngine, makeFileOfEngine, makeOwnFolder, readForeignText } from '../host/files.ts';
import { requireRoom } from '../host/full-disk.ts';
import { run } from '../host/programs.ts';
import { ADMIN, PORT } from './configuration.ts';
import { connect } from './connection.ts';
import { usedBytes } from './measure.ts';
import type { NodeName, Paths } from './paths.ts';
import type { Full } from './storage-watch.ts';
import { syncFolder } from './sync-folder.ts';
import type { Templates } from './templates.ts';

/** What is known of a cluster beside its data. */
export interface Notes {
  readonly host: string;
  readonly password?: string;
  /** Of the role by which the pooler signs in; absent: it never had one. */
  readonly poolerPassword?: string;
  /** That of the template, until the administrator has got its own. */
  readonly former?: string;
  /** What passwords of users were last set to, by user: one that the user has changed since stays. */
  readonly verifiers?: Readonly<Record<string, string>>;
  /** Its storage is. */
  readonly full?: Full;
  /** The primary has not read its files since they changed. */
  readonly isUnread?: boolean;
  /** Which of its servers; the first when nothing is said. */
  readonly primary?: NodeName;
  /** Commits wait for the replica. */
  readonly isSynchronous?: boolean;
  /** What it is restored from, until that is done. */
  readonly restore?: { readonly command: string; readonly until: string | null };
  /** The replica has all that it must have. */
  readonly mayTakeOver?: boolean;
  /** Its data are being brought to a newer version: until that is done, those of the older one count, and nobody but
   *  us may connect. */
  readonly upgrade?: { readonly from: string; readonly to: string };
  /** A replica becomes the primary, and lets nobody in yet. */
  readonly isTakingOver?: boolean;
  /** When one that had become the primary let clients in last; ISO 8601, in UTC. */
  readonly tookOverAt?: string;
  /** It is being made, and nobody was told of it. If it was finished on another machine, its data are there. */
  readonly isNew?: boolean;
}

const START_SECONDS = 60;
const STOP_MS = 8_000;
/** Then the server itself says what is in its way. */
const REMAINS_MS = 5_000;
const LARGEST_LOG = 5_000_000;
/** How long it may think about a statement of ours. */
const QUERY_MS = 30_000;
const MOST_LOOKS = 2_000;
/** A server has read its configuration this long after a signal. */
const SIGNAL_MS = 500;
/** A file in the data of a replica, by which its server knows what it is. */
export const STANDBY = 'standby.signal';
/** The same of one that replays what it is given, and is a primary then. */
const RECOVERY = 'recovery.signal';
const WRONG_PASSWORD = '28P01';
/** cannot_connect_now */
const NOT_YET = '57P03';

/** The PostgreSQL of one cluster: made, started, stopped, asked. It outlives this process, and is found again. */
export class Server {
  readonly paths: Paths;

  constructor(paths: Paths) {
    this.paths = paths;
  }

  get notes(): Notes | null {
    return readJson<Notes>(this.paths.notes);
  }

  note(notes: Notes): void {
    // Which server is the primary must be known after a power cut, too.
    writeFileAtomically(this.paths.notes, JSON.stringify(notes), { durable: true });
  }

  /** Whether its data are those of a replica. */
  isStandby(): boolean {
    return existsSync(join(this.paths.data, STANDBY));
  }

  /** With its next start it replays what it has, and is a primary from then on. It must not run. */
  leaveStandby(): void {
    renameSync(join(this.paths.data, STANDBY), join(this.paths.data, RECOVERY));
  }

  hasData(): boolean {
    return existsSync(join(this.paths.data, 'PG_VERSION'));
  }

  /** Whether it was made here to its end. */
  isMade(): boolean {
    return this.hasData() && this.notes?.isNew !== true;
  }

  settle(): void {
    if (!this.notes?.isNew) return;
    const { isNew: _, ...notes } = this.notes;
    this.note(notes);
  }

  /** The major version of its data; undefined: there are none. */
  version(): string | undefined {
    return readForeignText(join(this.paths.data, 'PG_VERSION'))?.trim();
  }

  /** Its process, which has the data directory open; null: none has. */
  running(): ProcessIdentity | null {
    const text = readForeignText(join(this.paths.data, 'postmaster.pid')) ?? '';
    const pid = Number(text.split('\n')[0]);
    return processOf(pid, (words) => words.some((word) => word.includes(this.paths.data)));
  }

  /** Makes an empty cluster. What a crash left of an earlier attempt goes first.
   *  @throws TaskFailed with what `initdb` says */
  async initialize(binaries: string, templates: Templates, version: string, notes: Notes): Promise<void> {
    const { draft, data, home } = this.paths;
    await removeFolder(draft);
    makeOwnFolder(draft, home);
    const former = await templates.copyTo(draft, home, version, binaries);
    this.note({ ...notes, password: randomBytes(24).toString('base64url'), former });
    renameSync(draft, data);
  }

  /** Makes a copy of another cluster, which becomes whole with its first start.
   *  @param copy the folder, which stays as it is, and the home of the other one
   *  @param former the password of the other one's administrator */
  async fillFrom(
    copy: { readonly folder: string; readonly home: string },
    binaries: string,
    notes: Notes & { readonly former: string },
  ): Promise<void> {
    const { draft, data, home } = this.paths;
    await removeFolder(draft);
    makeOwnFolder(draft, home);
    requireRoom(draft, await usedBytes(copy.folder));
    await copyTree(copy, { folder: draft, home }).catch((error: unknown) => {
      throw new TaskFailed(`The backup could not be copied: ${messageOf(error)}`);
    });
    await syncFolder(draft, binaries, home);
    writeFileAtomically(join(draft, RECOVERY), '');
    giveToEngine(join(draft, RECOVERY), home);
    this.note({ ...notes, password: randomBytes(24).toString('base64url') });
    renameSync(draft, data);
  }

  /** Gives the administrator a password of its own; it has that of the template until then. */
  async ownPassword(): Promise<void> {
    const notes = this.notes;
    if (notes?.former === undefined || notes.password === undefined) return;
    const { former: _, ...rest } = notes;
    const password = pg.escapeLiteral(notes.password);
    await this.asking('postgres', (client) => client.query(`alter role ${ADMIN} password ${password}`));
    this.note(rest);
  }

  /** @throws TaskFailed with what the server complains about; Error when it was killed, or is not ready yet */
  async start(binaries: string, seconds = START_SECONDS): Promise<void> {
    const { data, log, conf, home, sockets } = this.paths;
    makeFileOfEngine(log, home);
    this.trimLog();
    await this.#clearRemains();
    const from = statSync(log).size;
    const words = [
      'start',
      '-s',
      '-w',
      '-t',
      String(seconds),
      '-D',
      data,
      '-l',
      log,
      '-o',
      `-c config_file=${conf}`,
    ];
    const { exitCode } = await run(join(binaries, 'bin', 'pg_ctl'), words, {
      home,
      paths: [sockets],
      patienceMs: (seconds + 10) * 1000,
    });
    if (exitCode === 0) return;
    const fault = complaint(readFileSync(log).subarray(from).toString());
    if (fault === undefined) throw new Error('PostgreSQL was killed while it started, or takes too long');
    throw new TaskFailed(`PostgreSQL did not start: ${fault}`);
  }

  /** Waits until clients get in: one that replays what it has is started, and lets nobody in yet. */
  async letIn(): Promise<void> {
    for (let waited = 0; ; waited += 20) {
      try {
        return await this.asking('postgres', async () => undefined);
      } catch (error) {
        if ((error as { code?: string }).code !== NOT_YET || waited > START_SECONDS * 1000) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Empties a log that has grown large: nobody else would, and it uses space that no storage counts. */
  trimLog(): void {
    const { log } = this.paths;
    if (existsSync(log) && statSync(log).size > LARGEST_LOG) truncateSync(log);
  }

  /** Ends it after a checkpoint; by force when that takes too long. */
  async stop(patienceMs = STOP_MS): Promise<void> {
    const process = this.running();
    if (!process) return;
    // SIGINT ends the connections, too; SIGTERM, which comes next, would wait for them.
    signalProcess(process, 'SIGINT');
    for (let waited = 0; waited < patienceMs && isAlive(process); waited += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await terminate(process, 0);
  }

  /** Ends everything of it at once, so that nothing that it might still do can count. */
  async fence(): Promise<void> {
    for (let waited = 0; waited < REMAINS_MS; waited += 10) {
      const process = this.running();
      const left = [...(process ? [process] : []), ...this.#remains()];
      if (left.length === 0) return;
      for (const one of left) signalProcess(one, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`processes of ${this.paths.title} survive SIGKILL`);
  }

  #remains(): ProcessIdentity[] {
    const { data, title } = this.paths;
    const isOf = (word: string) => word === data || word.startsWith(`postgres: ${title}: `);
    return allPids()
      .filter((pid) => commandLine(pid).some(isOf))
      .flatMap((pid) => identify(pid) ?? []);
  }

  /** What a killed server left: its backends end by themselves within moments, and its pid files would keep a new one
   *  from starting for as long as any process has that number. */
  async #clearRemains(): Promise<void> {
    const { data, sockets } = this.paths;
    // Where processes cannot be seen, the server looks for itself.
    if (allPids().length === 0) return;
    for (let waited = 0; waited < REMAINS_MS; waited += 20) {
      if (this.#remains().length === 0) {
        rmSync(join(data, 'postmaster.pid'), { force: true });
        rmSync(join(sockets, `.s.PGSQL.${PORT}.lock`), { force: true });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Reads its configuration again. */
  async reload(): Promise<void> {
    try {
      await this.#reload();
    } catch (error) {
      // What it runs by may keep us out: it has to read what lets us in before it can be asked.
      const process = this.running();
      if (!process) throw error;
      signalProcess(process, 'SIGHUP');
      await new Promise((resolve) => setTimeout(resolve, SIGNAL_MS));
      await this.#reload();
    }
  }

  async #reload(): Promise<void> {
    await this.asking('postgres', async (client) => {
      const { rows: before } = await client.query('select pg_catalog.pg_conf_load_time() as at');
      await client.query('select pg_catalog.pg_reload_conf()');
      // The signal goes round: until this connection has seen it, nothing is known.
      for (let looks = 0; ; looks += 1) {
        const { rows } = await client.query('select pg_catalog.pg_conf_load_time() > $1 as seen', [
          before[0]?.at,
        ]);
        if (rows[0]?.seen) break;
        if (looks === MOST_LOOKS) throw new Error('the server does not read its configuration again');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
  }

  /** Whether its configuration has something that only a restart brings into force. */
  async needsRestart(): Promise<boolean> {
    return this.asking('postgres', async (client) => {
      const { rows } = await client.query('select from pg_catalog.pg_settings where pending_restart limit 1');
      return rows.length > 0;
    });
  }

  /** Whether it still replays what others wrote. */
  async isRecovering(): Promise<boolean> {
    return this.asking('postgres', async (client) => {
      const { rows } = await client.query<{ is: boolean }>('select pg_catalog.pg_is_in_recovery() as is');
      return rows[0]?.is === true;
    });
  }

  /** Works on a database as its administrator, through the socket.
   *  @param patienceMs how long a statement may take */
  async asking<T>(
    database: string,
    work: (client: pg.Client) => Promise<T>,
    patienceMs = QUERY_MS,
  ): Promise<T> {
    const { password = '', former } = this.notes ?? {};
    const { sockets } = this.paths;
    const version = this.version() ?? '';
    const target = { sockets, database, password, version, patienceMs };
    const client = await connect(target).catch((error: { code?: string }) => {
      if (former === undefined || error.code !== WRONG_PASSWORD) throw error;
      return connect({ ...target, password: former });
    });
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** What tells how a start goes, and is no complaint. Lines that go on begin with a tab. */
const REPORT = /^\t|(?:^|\s)(?:LOG|HINT|DETAIL|CONTEXT|STATEMENT|NOTICE|WARNING): {2}/;

/** The last thing that a server complained about, or else what the system says of its program; undefined: nothing. */
function complaint(log: string): string | undefined {
  const said = [...log.matchAll(/(?:FATAL|PANIC|ERROR): {2}(.*)/g)].at(-1)?.[1];
  return said ?? log.split('\n').findLast((line) => line.trim() !== '' && !REPORT.test(line));
}
