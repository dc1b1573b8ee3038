import { rmSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { DesiredSftpStorage } from '../../../features/sftp-storages/port.ts';
import { accountOf } from '../../../kernel/engine-accounts.ts';
import { readJson, readText, writeFileAtomically } from '../../../kernel/files.ts';
import { findProcess, type ProcessIdentity, signalProcess, terminate } from '../../../kernel/processes.ts';
import { converge } from '../host/converge.ts';
import { startDetached, trimLog } from '../host/detached.ts';
import { readForeignText, writeForEngine } from '../host/files.ts';
import { confined } from '../host/privileges.ts';
import { nextStep, type Observed, type Step } from './next.ts';
import type { Access, Orders } from './orders.ts';
import { makeFolders, type Paths } from './paths.ts';

/** What is known of a storage beside its data. */
export interface Notes {
  /** Which operation has made it. */
  readonly creator: string;
  /** Its address; absent: it is not ready yet. */
  readonly host?: string;
  /** It is being made, and nobody was told of it. */
  readonly isNew?: boolean;
}

export const PORT = 2022;
const SEE_MS = 5_000;
const LOOK_EVERY_MS = 10;
const LARGEST_LOG = 1_000_000;
const STOP_MS = 3_000;
/** Files are not kept in the memory: what such a server needs is little. */
const NODE_WORDS = ['--max-old-space-size=96', '--max-semi-space-size=1'];

/** The server of one storage. It outlives this process, and is found again. */
export class Server {
  readonly paths: Paths;
  readonly #script: string;

  /** @param script the bundled server */
  constructor(paths: Paths, script: string) {
    this.paths = paths;
    this.#script = script;
  }

  get notes(): Notes | null {
    return readJson<Notes>(this.paths.notes);
  }

  note(notes: Notes): void {
    writeFileAtomically(this.paths.notes, JSON.stringify(notes));
  }

  /** Its process; null: there is none. */
  running(): ProcessIdentity | null {
    const { orders, pidFile } = this.paths;
    return findProcess(Number(readText(pidFile)), (words) => words.includes(orders));
  }

  /** Starts it unless it runs, and lets in whom it is to let in: nobody else is in when this ends.
   *  @returns what had to be done
   *  @throws TaskFailed with what the program says */
  serve(desired: DesiredSftpStorage, host: string): Promise<readonly Step[]> {
    const access = JSON.stringify(accessOf(desired));
    return converge({
      observe: () => this.#observe(),
      next: (observed) => nextStep(access, observed),
      steps: { start: () => this.#start(access, host), tell: () => this.#tell(access) },
    });
  }

  #observe(): Observed {
    const { access, seen } = this.paths;
    return { isRunning: this.running() !== null, told: readText(access), heeded: readForeignText(seen) };
  }

  /** A server that does not listen is ended. */
  async #tell(access: string): Promise<void> {
    const process = this.running();
    this.#write(access);
    if (process) signalProcess(process, 'SIGHUP');
    if (!(await this.#heeds(access)) && process) await terminate(process, 0);
  }

  #write(access: string): void {
    if (readText(this.paths.access) !== access) writeForEngine(this.paths.access, access, this.paths.home);
  }

  async #heeds(access: string): Promise<boolean> {
    for (let waited = 0; waited < SEE_MS; waited += LOOK_EVERY_MS) {
      const observed = this.#observe();
      if (nextStep(access, observed) === null) return true;
      if (!observed.isRunning) return false;
      await delay(LOOK_EVERY_MS);
    }
    return false;
  }

  async #start(text: string, host: string): Promise<void> {
    makeFolders(this.paths);
    this.#write(text);
    const { orders, log, pidFile, data, hostKey, access, seen, traffic } = this.paths;
    const account = accountOf(this.paths.home);
    const given: Orders = {
      host,
      port: PORT,
      data,
      hostKey,
      access,
      seen,
      traffic,
      account: account ? { uid: account.uid, gid: account.gid } : null,
    };
    writeFileAtomically(orders, JSON.stringify(given));
    truncateSync(seen);
    trimLog(log, LARGEST_LOG);
    await startDetached({
      // What it needs may be where only root can read; it becomes somebody else by itself.
      command: confined(
        { program: process.execPath, words: [...NODE_WORDS, this.#script, orders] },
        this.paths.home,
      ),
      cwd: '/',
      pidFile,
      log,
      name: 'The SFTP server',
      answers: () => greets(host),
      reason: (said) =>
        said.split('\n').find((line) => /error|EADDR|E[A-Z]{4,}/i.test(line)) ?? said.slice(-300),
    });
    await this.#heeds(text);
  }

  async stop(): Promise<void> {
    const process = this.running();
    if (process) await terminate(process, STOP_MS);
    rmSync(this.paths.pidFile, { force: true });
  }
}

const accessOf = ({ user, passwordHash, publicKeys, expiresAt }: DesiredSftpStorage): Access => ({
  user,
  passwordHash,
  publicKeys,
  expiresAt,
});

/** Whether an SSH server answers there. */
function greets(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: PORT });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(SEE_MS, () => end(false));
    socket.once('data', (data) => end(data.toString('latin1').startsWith('SSH-2.0')));
    socket.once('error', () => end(false));
    socket.once('end', () => end(false));
  });
}
