import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isAlive,
  type ProcessIdentity,
  processKey,
  signalProcess,
  terminate,
} from '../../../kernel/processes.ts';
import { giveToEngine, makeDirectoryOfEngine, writeForEngine } from '../host/files.ts';
import type { RenderedBackend } from './config/rendering.ts';
import { type Counters, readListeners } from './counters.ts';
import { Draining } from './draining.ts';
import { runningProcess, startProcess } from './haproxy.ts';
import { applyLiveChanges, deleteDeparted, endSessionsOf, type LiveChanges } from './live-changes.ts';
import type { Paths } from './paths.ts';
import type { ResponseMeter } from './responses.ts';
import { RuntimeSocket } from './runtime-socket.ts';
import { EMPTY_SERVER_STATE, serverStateFile } from './server-state.ts';
import { parseStat, SHOW_STAT, type StatLine } from './show-stat.ts';
import { readTables, writeTables } from './stick-tables.ts';

const LOOK_EVERY_MS = 5;
const MOST_LOOKS = 400;

/** The HAProxy process of one load balancer and those that it has replaced. Knows how to start,
 *  reload, change and read it; what it should serve is in files that others have written. */
export class Engine {
  readonly #program: string;
  readonly #paths: Paths;
  readonly #counters: Counters;
  readonly #responses: ResponseMeter;
  readonly #draining: Draining;
  #process: ProcessIdentity | null;
  #socket: RuntimeSocket;
  #departed: string[] = [];
  #isFormer: boolean;

  /** Takes over what an earlier server left behind.
   *  @param noted the process and its predecessors as last noted */
  constructor(
    program: string,
    paths: Paths,
    counters: Counters,
    responses: ResponseMeter,
    noted: { readonly process: ProcessIdentity | null; readonly draining: readonly ProcessIdentity[] },
  ) {
    this.#program = program;
    this.#paths = paths;
    this.#counters = counters;
    this.#responses = responses;
    this.#process = runningProcess(paths);
    this.#isFormer = this.#process !== null && findFormerSocket(paths);
    this.#socket = new RuntimeSocket(this.#socketPath);
    // A server that died between the start of a process and its note: the pid file knows better.
    const replaced = noted.process && this.#isOther(noted.process) ? [noted.process] : [];
    this.#draining = new Draining([...noted.draining, ...replaced].filter(isAlive));
  }

  running(): ProcessIdentity | null {
    return this.#process && isAlive(this.#process) ? this.#process : null;
  }

  /** Whether the process is one of version 0.3.0, which has the common account of all engines. */
  get isFormer(): boolean {
    return this.#isFormer;
  }

  draining(): ProcessIdentity[] {
    return this.#draining.identities();
  }

  /** Keys of the processes whose counters still run. */
  processKeys(): Set<string> {
    const running = this.running();
    return new Set([...this.draining(), ...(running ? [running] : [])].map(processKey));
  }

  /** Serves the configuration file with a new process, without losing a request of the present one. */
  async reload(backends: readonly RenderedBackend[], logging: boolean): Promise<void> {
    const running = this.running();
    const old = this.#socket;
    const dump = running ? await old.command('show servers state').catch(() => '') : '';
    writeForEngine(this.#paths.serverState, serverStateFile(dump, backends), this.#paths.directory);
    // One that no longer answers cannot hand anything over.
    if (running && dump === '') await terminate(running);
    const predecessor = dump === '' ? null : running;
    if (predecessor) giveToEngine(this.#socketPath, this.#paths.directory);
    const tables = predecessor ? await readTables(old, backends) : [];
    await this.#start(predecessor, logging);
    if (!predecessor) return old.close();
    this.#draining.add(predecessor, old);
    await writeTables(this.#socket, tables);
  }

  /** Starts from the configuration file after the process has died. */
  async start(logging: boolean): Promise<void> {
    writeForEngine(this.#paths.serverState, EMPTY_SERVER_STATE, this.#paths.directory);
    const old = this.#socket;
    await this.#start(null, logging);
    old.close();
  }

  /** @returns false when the process refused something: then only a reload makes it right */
  async change(changes: LiveChanges): Promise<boolean> {
    if (!(await applyLiveChanges(this.#socket, changes))) return false;
    this.#departed.push(...changes.departed);
    await this.deleteDeparted();
    return true;
  }

  /** Deletes members that have left, as far as they have no connection any more. */
  async deleteDeparted(): Promise<void> {
    if (this.#departed.length === 0 || !this.running()) return;
    this.#departed = await deleteDeparted(this.#socket, this.#departed);
  }

  /** Ends the connections of these frontends in the process that was replaced last. */
  async endSessions(predecessor: ProcessIdentity, frontends: ReadonlySet<string>): Promise<void> {
    const socket = this.#draining.socketOf(predecessor);
    if (socket) await endSessionsOf(socket, frontends).catch(() => undefined);
  }

  /** Sends one command to the running process. */
  command(words: string): Promise<string> {
    return this.#socket.command(words);
  }

  /** Reads frontends and servers, and records the counters. */
  async read(listeners: readonly string[]): Promise<StatLine[]> {
    const running = this.running();
    if (!running) return [];
    const lines = parseStat(await this.#socket.command(SHOW_STAT));
    this.#record(processKey(running), lines, listeners);
    return lines;
  }

  async pollDraining(listeners: readonly string[]): Promise<void> {
    await this.#draining.poll((key, lines) => this.#record(key, lines, listeners));
  }

  #record(key: string, lines: readonly StatLine[], listeners: readonly string[]): void {
    this.#counters.record(key, readListeners(lines, listeners));
    this.#responses.record(key, lines);
  }

  async end(): Promise<void> {
    const running = this.running();
    if (running) await terminate(running);
    await this.#draining.end();
    this.#socket.close();
    this.#process = null;
  }

  /** Leaves the processes as they are. */
  disconnect(): void {
    this.#socket.close();
    this.#draining.disconnect();
  }

  async #start(predecessor: ProcessIdentity | null, logging: boolean): Promise<void> {
    const old = this.#socket;
    const handing = predecessor && { process: predecessor, socket: this.#socketPath };
    const started = await startProcess(this.#program, this.#paths, handing, logging);
    // One of another account cannot be told by its successor.
    if (predecessor && this.#isFormer) signalProcess(predecessor, 'SIGUSR1');
    if (predecessor) await waitUntilStopping(old);
    if (this.#isFormer) rmSync(formerSocketOf(this.#paths), { force: true });
    this.#isFormer = false;
    // At once: a connection that is open now survives the next reload, with the last counters.
    const socket = await openSocketOf(started, this.#paths.socket);
    this.#process = started;
    this.#socket = socket;
    this.#departed = [];
  }

  get #socketPath(): string {
    return this.#isFormer ? formerSocketOf(this.#paths) : this.#paths.socket;
  }

  #isOther(noted: ProcessIdentity): boolean {
    return this.#process === null || processKey(noted) !== processKey(this.#process);
  }
}

/** Where the socket of a process of version 0.3.0 is until it hands over: its account may not enter the first place. */
const formerSocketOf = ({ socket }: Paths) => `${socket}.former`;

/** @returns whether there is one */
function findFormerSocket(paths: Paths): boolean {
  if (existsSync(paths.socket)) return false;
  if (existsSync(paths.formerSocket)) {
    makeDirectoryOfEngine(dirname(paths.socket), paths.directory);
    renameSync(paths.formerSocket, formerSocketOf(paths));
  }
  return existsSync(formerSocketOf(paths));
}

/** A process that has to hand over accepts new connections for a few milliseconds more, and would
 *  serve them as before. */
async function waitUntilStopping(socket: RuntimeSocket): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const answer = await socket.command('show info').catch(() => 'Stopping: 1');
    if (/^Stopping: 1$/m.test(answer)) return;
    await delay(LOOK_EVERY_MS);
  }
}

/** Connects to the command socket of exactly this process. Predecessor and successor wait on the same
 *  socket for a moment, and either may accept a connection. */
async function openSocketOf(process: ProcessIdentity, path: string): Promise<RuntimeSocket> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const socket = new RuntimeSocket(path);
    const answer = await socket.command('show info').catch(() => '');
    if (answer.includes(`\nPid: ${process.pid}\n`)) return socket;
    socket.close();
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`HAProxy process ${process.pid} does not answer on its command socket`);
}
