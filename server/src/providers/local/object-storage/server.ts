import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, readText, writeFileAtomically } from '../../../kernel/files.ts';
import {
  allPids,
  commandLine,
  identify,
  isAlive,
  type ProcessIdentity,
  terminate,
} from '../../../kernel/processes.ts';
import { unprivileged } from '../load-balancers/account.ts';
import { findProgram } from '../load-balancers/programs.ts';
import { Gateway } from './gateway.ts';
import type { Place } from './place.ts';
import { ask, type Credentials, elements, type S3Answer, type S3Call } from './s3-client.ts';

/** What is known of a storage beside its data. */
export interface Notes {
  /** Which operation has made it. */
  readonly creator: string;
  /** Its address; absent: it is deleted, or is not ready yet. */
  readonly host?: string;
  readonly root: Credentials;
  /** What buckets were last set to, by name. */
  readonly applied: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch of the last look for what has expired. */
  readonly expiredAt?: number;
}

const START_MS = 30_000;
const LOOK_EVERY_MS = 10;
const LARGEST_LOG = 5_000_000;
const STOP_MS = 8_000;

/** The programs of one storage: the S3 server at a socket, and before it a gateway at the storage's address, which
 *  counts. They outlive this process, and are found again. */
export class Server {
  readonly place: Place;
  readonly gateway: Gateway;
  readonly #now: () => Date;

  constructor(place: Place, now: () => Date) {
    this.place = place;
    this.gateway = new Gateway(place);
    this.#now = now;
  }

  get notes(): Notes | null {
    return readJson<Notes>(this.place.notes);
  }

  note(notes: Notes): void {
    writeFileAtomically(this.place.notes, JSON.stringify(notes));
  }

  hasData(): boolean {
    return existsSync(this.place.data) && this.notes !== null;
  }

  /** The process of the S3 server; null: there is none. */
  running(): ProcessIdentity | null {
    const { socket, pidFile } = this.place;
    const isOurs = (pid: number) => commandLine(pid).includes(socket);
    const noted = identify(Number(readText(pidFile)));
    // Where the system does not show command lines, the file is believed.
    if (noted && (isOurs(noted.pid) || commandLine(noted.pid).length === 0)) return noted;
    const found = allPids().find(isOurs);
    return found === undefined ? null : identify(found);
  }

  isServing(): boolean {
    return this.running() !== null && this.gateway.running() !== null;
  }

  /** Starts what does not run.
   *  @throws TaskFailed with what the programs say */
  async start(program: string, address: string): Promise<void> {
    if (this.running() === null) await this.#startServer(program);
    await this.gateway.start(address);
  }

  async #startServer(program: string): Promise<void> {
    const { log, sockets, socket, adminSocket, pidFile } = this.place;
    const { root } = this.#known();
    for (const left of [socket, adminSocket]) rmSync(left, { force: true });
    this.trimLog();
    const file = openSync(log, 'a', 0o600);
    const from = statSync(log).size;
    const command = unprivileged({ program, words: this.#words() }, [], findProgram('setpriv'));
    try {
      const child = spawn(command.program, command.words, {
        ...command.as,
        cwd: dirname(sockets) === this.place.home ? sockets : '/',
        // A process group of its own: it goes on when this process ends.
        detached: true,
        env: { PATH: process.env.PATH ?? '', ROOT_ACCESS_KEY: root.access, ROOT_SECRET_KEY: root.secret },
        stdio: ['ignore', file, file],
      });
      child.once('error', () => undefined);
      child.unref();
      if (child.pid !== undefined) writeFileAtomically(pidFile, String(child.pid));
      await this.#ready(child.pid ?? 0, from);
    } finally {
      closeSync(file);
    }
  }

  #words(): string[] {
    const { socket, adminSocket, accounts, versions, data } = this.place;
    return [
      ...['--quiet', '--port', socket, '--admin-port', adminSocket, '--socket-perm', '0600'],
      // No bucket can have such a name.
      ...['--iam-dir', accounts, '--health', '/.health', 'posix', '--versioning-dir', versions, data],
    ];
  }

  /** Waits until it answers. @throws TaskFailed with the last thing that it said */
  async #ready(pid: number, from: number): Promise<void> {
    const process = identify(pid);
    for (let waited = 0; waited < START_MS; waited += LOOK_EVERY_MS) {
      const answer = await this.ask({ method: 'GET', path: '/' }).catch(() => null);
      if (answer?.status === 200) return;
      if (!process || !isAlive(process)) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    if (process) await terminate(process, 0);
    const said = readFileSync(this.place.log, 'utf8').slice(from).trim().split('\n').at(-1);
    throw new TaskFailed(`The S3 server did not start: ${said || 'it said nothing'}`);
  }

  /** Ends the gateway, which finishes what it has begun, and then the server. */
  async stop(): Promise<void> {
    await this.gateway.stop();
    const process = this.running();
    if (process) await terminate(process, STOP_MS);
    rmSync(this.place.pidFile, { force: true });
  }

  /** A call as the owner of everything. */
  ask(call: S3Call): Promise<S3Answer> {
    return ask(this.place.socket, this.#known().root, call, this.#now());
  }

  /** A call about keys, which nobody else can make. */
  askAdmin(call: S3Call): Promise<S3Answer> {
    return ask(this.place.adminSocket, this.#known().root, call, this.#now());
  }

  async bucketNames(): Promise<string[]> {
    const { status, text } = await this.ask({ method: 'GET', path: '/' });
    if (status !== 200) throw new Error(`the S3 server answers ${status}`);
    return elements(text, 'Name');
  }

  trimLog(): void {
    const { log } = this.place;
    if (existsSync(log) && statSync(log).size > LARGEST_LOG) truncateSync(log);
  }

  #known(): Notes {
    const { notes } = this;
    if (!notes) throw new Error(`nothing is noted of storage ${this.place.id}`);
    return notes;
  }
}
