import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DesiredStorage } from '../../../features/object-storage/port.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, readText, writeFileAtomically } from '../../../kernel/files.ts';
import { commandLine, findProcess, type ProcessIdentity, terminate } from '../../../kernel/processes.ts';
import { converge } from '../host/converge.ts';
import { startDetached, trimLog } from '../host/detached.ts';
import { unprivileged } from '../host/privileges.ts';
import { Gateway } from './gateway.ts';
import { nextStep, type Running, type Step } from './next.ts';
import { makeFolders, type Paths } from './paths.ts';
import { ask, type Credentials, elements, type S3Answer, type S3Call } from './s3-client.ts';

/** What is known of a storage beside its data. */
export interface Notes {
  /** Which operation has made it. */
  readonly creator: string;
  /** Its address; absent: it is deleted, or is not ready yet. */
  readonly host?: string;
  /** It is being made, and nobody was told of it. */
  readonly isNew?: boolean;
  readonly root: Credentials;
  /** What buckets were last set to, by name. */
  readonly applied: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch of the last look for what has expired. */
  readonly expiredAt?: number;
}

export interface ServerDeps {
  /** The S3 server as it is found on this machine. */
  readonly engine: { program(): string | undefined; fault(): string | undefined };
  readonly now: () => Date;
}

/** `photos.s3.localhost` names the bucket `photos`, for clients that write buckets into host names. */
const DOMAIN = 's3.localhost';
const LARGEST_LOG = 5_000_000;
const STOP_MS = 8_000;

/** The programs of one storage: the S3 server at a socket, and before it a gateway at the storage's address, which
 *  counts. They outlive this process, and are found again. */
export class Server {
  readonly paths: Paths;
  readonly gateway: Gateway;
  readonly #deps: ServerDeps;

  constructor(paths: Paths, deps: ServerDeps) {
    this.paths = paths;
    this.gateway = new Gateway(paths);
    this.#deps = deps;
  }

  get notes(): Notes | null {
    return readJson<Notes>(this.paths.notes);
  }

  note(notes: Notes): void {
    writeFileAtomically(this.paths.notes, JSON.stringify(notes));
  }

  /** The process of the S3 server; null: there is none. */
  running(): ProcessIdentity | null {
    const { socket, pidFile } = this.paths;
    return findProcess(Number(readText(pidFile)), (words) => words.includes(socket));
  }

  /** Starts what does not run, and replaces the program of an older release.
   *  @returns what had to be done
   *  @throws TaskFailed when it is not on this machine, or with what the programs say */
  serve(address: string, tls: DesiredStorage['tls']): Promise<readonly Step[]> {
    const at = { address, tls };
    return converge({
      observe: () => ({ server: this.#observe(), gateway: this.gateway.observe(at) }),
      next: nextStep,
      steps: {
        'end the server': () => this.#end(),
        'start the server': () => this.#startServer(),
        'start the gateway': () => this.gateway.start(at),
      },
    });
  }

  /** What runs is current where there is no other program at present. */
  #observe(): Running {
    const running = this.running();
    if (running === null) return 'none';
    const program = this.#deps.engine.program();
    return program === undefined || commandLine(running.pid).includes(program) ? 'current' : 'other';
  }

  async #startServer(): Promise<void> {
    const { engine } = this.#deps;
    const program = engine.program();
    if (program === undefined) throw new TaskFailed(engine.fault() ?? 'There is no S3 server');
    makeFolders(this.paths);
    const { log, sockets, socket, adminSocket, pidFile } = this.paths;
    const { root } = this.#known();
    for (const left of [socket, adminSocket]) rmSync(left, { force: true });
    trimLog(log, LARGEST_LOG);
    await startDetached({
      command: unprivileged({ program, words: this.#words() }, { home: this.paths.home }),
      cwd: dirname(sockets) === this.paths.home ? sockets : '/',
      env: { ROOT_ACCESS_KEY: root.access, ROOT_SECRET_KEY: root.secret },
      pidFile,
      log,
      name: 'The S3 server',
      answers: async () => {
        const answer = await this.ask({ method: 'GET', path: '/' }).catch(() => null);
        return answer?.status === 200;
      },
    });
  }

  #words(): string[] {
    const { socket, adminSocket, accounts, versions, data } = this.paths;
    return [
      '--port',
      socket,
      '--admin-port',
      adminSocket,
      '--accounts',
      accounts,
      '--versions',
      versions,
      // No bucket can have such a name.
      '--health',
      '/.health',
      '--domain',
      DOMAIN,
      data,
    ];
  }

  /** Ends the gateway, which finishes what it has begun, and then the server. */
  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#end();
    rmSync(this.paths.pidFile, { force: true });
  }

  async #end(): Promise<void> {
    const process = this.running();
    if (process) await terminate(process, STOP_MS);
  }

  /** A call as the owner of everything. */
  ask(call: S3Call): Promise<S3Answer> {
    return ask(this.paths.socket, this.#known().root, call, this.#deps.now());
  }

  /** A call about keys, which nobody else can make. */
  askAdmin(call: S3Call): Promise<S3Answer> {
    return ask(this.paths.adminSocket, this.#known().root, call, this.#deps.now());
  }

  async bucketNames(): Promise<string[]> {
    const { status, text } = await this.ask({ method: 'GET', path: '/' });
    if (status !== 200) throw new Error(`the S3 server answers ${status}`);
    return elements(text, 'Name');
  }

  #known(): Notes {
    const { notes } = this;
    if (!notes) throw new Error(`nothing is noted of storage ${this.paths.id}`);
    return notes;
  }
}
