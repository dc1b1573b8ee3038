import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasAccount } from '../../../../kernel/engine-accounts.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { readText } from '../../../../kernel/files.ts';
import { canonicalAddress } from '../../../../kernel/ip.ts';
import {
  allPids,
  commandLine,
  identify,
  type ProcessIdentity,
  processOf,
  signalProcess,
  terminate,
} from '../../../../kernel/processes.ts';
import { parseAddress } from '../../addresses/sockets.ts';
import {
  makeDirectoryOfEngine,
  makeFileOfEngine,
  readForeignText,
  writeForEngine,
} from '../../host/files.ts';
import { findProgram, run } from '../../host/programs.ts';
import type { Paths } from '../paths.ts';
import { renderNginx } from './nginx-config.ts';
import { NO_UDP, type UdpPlan } from './plan.ts';

const MODULE_PATHS = [
  '/usr/lib/nginx/modules/ngx_stream_module.so',
  '/usr/lib64/nginx/modules/ngx_stream_module.so',
  '/usr/local/lib/nginx/modules/ngx_stream_module.so',
];
/** A session uses one connection towards the client's side and one towards the member. */
const CONNECTIONS_PER_SESSION = 2;
const LOOK_EVERY_MS = 5;
const MOST_LOOKS = 200;

/** The nginx process that carries the UDP listeners of one load balancer. */
export class UdpPlane {
  readonly #paths: Paths;
  readonly #descriptors: number;
  #plan: UdpPlan = NO_UDP;
  #logging = false;
  #isUnsure = false;

  /** @param connectionCeiling connections that one process may hold on this machine */
  constructor(paths: Paths, connectionCeiling: number) {
    this.#paths = paths;
    this.#descriptors = connectionCeiling;
  }

  /** An earlier server was killed during a change: what nginx serves may be something else than its file says. */
  markUnsure(): void {
    this.#isUnsure = true;
  }

  /** Says what should be served, without doing anything. */
  adopt(plan: UdpPlan, logging: boolean): void {
    this.#plan = plan;
    this.#logging = logging;
  }

  get needed(): boolean {
    return this.#plan.listeners.length > 0;
  }

  running(): ProcessIdentity | null {
    const pid = Number(readForeignText(this.#paths.nginxPidFile)?.trim());
    return processOf(pid, (words) => words.join(' ').includes(this.#paths.nginxConfig));
  }

  /** Converges to the plan and to which members are down. An nginx that already serves this is left
   *  alone; one that serves something else is reloaded, and finishes its sessions.
   *  @throws TaskFailed when nginx is missing or refuses the configuration */
  async converge(down: ReadonlySet<string>): Promise<void> {
    if (!this.needed) return this.end();
    const program = requireNginx();
    const config = renderNginx(this.#plan, down, this.#environment());
    let running = this.running();
    // One of version 0.3.0 could not read its files any more.
    if (running && !hasAccount(running.pid, this.#paths.directory)) {
      await terminate(running);
      running = null;
    }
    if (running && !this.#isUnsure && readText(this.#paths.nginxConfig) === config) return;
    this.#makeFiles();
    await this.#check(program, config);
    const previous = readText(this.#paths.nginxConfig);
    // Nothing is waited for between the file and the signal: a file that is in place is one that nginx reads.
    writeForEngine(this.#paths.nginxConfig, config, this.#paths.directory);
    try {
      if (running) await reload(running);
      else await this.#start(program);
    } catch (error) {
      if (previous !== null) writeForEngine(this.#paths.nginxConfig, previous, this.#paths.directory);
      throw error;
    }
    this.#isUnsure = false;
  }

  /** Replaces the master and its workers; those that it had finish their sessions. One that does not hand over
   *  is ended, and its sessions with it. */
  async failover(): Promise<void> {
    const running = this.running();
    if (!this.needed || !running) return;
    if (await handOver(running, () => this.running())) return;
    await terminate(running);
    await this.#start(requireNginx());
  }

  async end(): Promise<void> {
    const running = this.running();
    if (running) await terminate(running);
    await this.#endOrphans();
    rmSync(this.#paths.nginxPidFile, { force: true });
  }

  /** The master and its workers. */
  processes(): ProcessIdentity[] {
    const master = this.running();
    if (!master) return [];
    return [master, ...workersOf(master.pid).flatMap((pid) => identify(pid) ?? [])];
  }

  /** Sessions that are open now, by pool id. */
  sessions(): Map<string, number> {
    const counts = new Map<string, number>();
    const running = this.running();
    if (!running) return counts;
    const poolOf = new Map<string, string>(
      this.#plan.pools.flatMap((pool) =>
        pool.members.map((member) => [peer(member.address, member.port), pool.id] as const),
      ),
    );
    for (const remote of connectedUdp(workersOf(running.pid))) {
      const pool = poolOf.get(remote);
      if (pool) counts.set(pool, (counts.get(pool) ?? 0) + 1);
    }
    return counts;
  }

  async #start(program: string): Promise<void> {
    await this.#endOrphans();
    await this.#nginx(program, [], this.#paths.nginxConfig);
  }

  async #check(program: string, config: string): Promise<void> {
    const candidate = `${this.#paths.nginxConfig}.candidate`;
    try {
      writeForEngine(candidate, config, this.#paths.directory);
      await this.#nginx(program, ['-t'], candidate);
    } finally {
      rmSync(candidate, { force: true });
    }
  }

  /** Workers outlive a master that was killed, and would keep the port and go on as before. */
  async #endOrphans(): Promise<void> {
    for (const pid of allPids()) {
      if (commandLine(pid)[0]?.startsWith('nginx: worker') !== true) continue;
      const identity = identify(pid);
      if (identity && openFiles(pid).includes(this.#paths.nginxSessions)) await terminate(identity);
    }
  }

  async #nginx(program: string, words: readonly string[], config: string): Promise<void> {
    const { directory, nginxErrors } = this.#paths;
    const common = ['-c', config, '-p', `${directory}/`, '-e', nginxErrors];
    const { exitCode, output } = await run(program, [...words, ...common], {
      home: directory,
      capabilities: ['net_bind_service'],
    });
    if (exitCode === 0) return;
    const why = /\[emerg\][^:]*: (.*?)( in \S+:\d+)?$/m.exec(output)?.[1] ?? output.trim().slice(-300);
    throw new TaskFailed(`nginx cannot carry the UDP listeners: ${why}`);
  }

  /** What nginx writes: logs, and its pid in a directory of its own, where it renames it. */
  #makeFiles(): void {
    const { accessLog, directory, nginxErrors, nginxPidFile, nginxSessions } = this.#paths;
    makeDirectoryOfEngine(dirname(nginxPidFile), directory);
    for (const file of [nginxErrors, nginxSessions, ...(this.#logging ? [accessLog] : [])])
      makeFileOfEngine(file, directory);
  }

  #environment() {
    return {
      modulePath: MODULE_PATHS.find((path) => existsSync(path)) ?? null,
      pidFile: this.#paths.nginxPidFile,
      errorLog: this.#paths.nginxErrors,
      sessionLog: this.#paths.nginxSessions,
      accessLog: this.#logging ? this.#paths.accessLog : null,
      connections: CONNECTIONS_PER_SESSION * Math.min(this.#plan.sessions, this.#descriptors),
    };
  }
}

/** @throws TaskFailed naming the packages when nginx or its stream module is missing */
export function requireNginx(): string {
  const program = findProgram('nginx');
  const module = MODULE_PATHS.some((path) => existsSync(path));
  // Other systems build the module in; then `nginx -t` is the judge.
  if (program && (module || process.platform !== 'linux')) return program;
  throw new TaskFailed(
    'UDP listeners need nginx: install the Debian packages "nginx" and "libnginx-mod-stream"',
  );
}

/** Resolves once new workers have taken over; the old ones only finish their sessions. */
async function reload(master: ProcessIdentity): Promise<void> {
  const before = new Set(workersOf(master.pid));
  signalProcess(master, 'SIGHUP');
  if (before.size === 0) return;
  await eventually(() => {
    const now = workersOf(master.pid);
    return now.some((pid) => !before.has(pid)) && now.every((pid) => !before.has(pid) || isShuttingDown(pid));
  });
}

/** A new master inherits the ports; then the old one's workers accept nothing new. @returns whether it took over */
async function handOver(old: ProcessIdentity, running: () => ProcessIdentity | null): Promise<boolean> {
  const workers = workersOf(old.pid);
  signalProcess(old, 'SIGUSR2');
  const isThere = await eventually(() => {
    const now = running();
    return now !== null && now.pid !== old.pid && workersOf(now.pid).length > 0;
  });
  if (!isThere) return false;
  signalProcess(old, 'SIGQUIT');
  await eventually(() => workers.every((pid) => identify(pid) === null || isShuttingDown(pid)));
  return true;
}

/** Looks for about a second. @returns whether it came true */
async function eventually(isTrue: () => boolean): Promise<boolean> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    if (isTrue()) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

const isShuttingDown = (pid: number) => commandLine(pid).join(' ').includes('shutting down');

function workersOf(master: number): number[] {
  return (readText(`/proc/${master}/task/${master}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

/** Members (`10.0.0.1 53`) to which these processes hold a UDP socket, once for each socket. */
function connectedUdp(pids: readonly number[]): string[] {
  const inodes = new Set(pids.flatMap(socketInodes));
  if (inodes.size === 0) return [];
  const tables = ['/proc/net/udp', '/proc/net/udp6'].map((file) => readText(file) ?? '');
  return tables.flatMap((table) =>
    table.split('\n').flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      return fields[3] === '01' && inodes.has(fields[9] ?? '') ? [readable(fields[2] ?? '')] : [];
    }),
  );
}

function socketInodes(pid: number): string[] {
  return openFiles(pid).flatMap((file) => /^socket:\[(\d+)\]$/.exec(file)?.[1] ?? []);
}

/** Paths (or kernel names) of what the process has open; empty when it is not ours to see. */
function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function readable(text: string): string {
  const [address = '', port = ''] = text.split(':');
  return peer(parseAddress(address), Number.parseInt(port, 16));
}

const peer = (address: string, port: number) => `${canonicalAddress(address)} ${port}`;
