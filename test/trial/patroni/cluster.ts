import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type Account, initdbAccount } from '../../../server/src/platform/database/embedded/account.ts';
import { Segment } from '../../harness/machines.ts';
import { waitUntil } from '../../harness/wait.ts';
import { configurationOf, mayUseEtcd3 } from './configuration.ts';

/** PostgreSQL of an operator on three machines: each has a member of etcd, Patroni and its PostgreSQL. */

export const MACHINES = ['pg1', 'pg2', 'pg3'] as const;
export type Machine = (typeof MACHINES)[number];
type Program = 'etcd' | 'patroni';
const NETWORK = '198.18.80';
const ASK_MS = 2000;
/** Debian's Patroni needs Debian's Python. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };
/** Patroni looks now and then: what it says of a replica is never of the same moment as what it says of the primary. */
const CLOSE_BYTES = 2 ** 23;
export const PASSWORD = randomBytes(12).toString('hex');
/** Role and database of Virga. */
export const VIRGA = 'virga';

/** What Patroni says of a machine. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | 'unknown';
}

export class PatroniCluster {
  readonly addresses: ReadonlyMap<string, string>;
  readonly #folder: string;
  readonly #binaries: string;
  /** Of Patroni. */
  readonly #version: string;
  readonly #account: Account;
  readonly #segment: Segment;
  readonly #children = new Map<string, ChildProcess>();

  /** @param folder that only this trial has, and that everybody may enter
   *  @param binaries where PostgreSQL's programs are */
  constructor(folder: string, binaries: string) {
    const account = initdbAccount();
    if (!account) throw new Error('the trial needs root');
    this.#folder = folder;
    this.#binaries = binaries;
    const said = execFileSync('patroni', ['--version'], { encoding: 'utf8', env: ENVIRONMENT });
    this.#version = /[\d.]+/.exec(said)?.[0] ?? '';
    this.#account = account;
    this.addresses = new Map(MACHINES.map((name, index) => [name, `${NETWORK}.${10 + index}`]));
    this.#segment = new Segment(MACHINES, NETWORK);
  }

  async start(): Promise<void> {
    for (const machine of MACHINES) {
      const home = this.#home(machine);
      mkdirSync(home, { mode: 0o700 });
      const file = path.join(home, 'patroni.json');
      writeFileSync(file, JSON.stringify(this.#configuration(machine)), { mode: 0o600 });
      for (const each of [home, file]) chownSync(each, this.#account.uid, this.#account.gid);
    }
    for (const machine of MACHINES) this.startEtcd(machine);
    for (const machine of MACHINES) this.startPatroni(machine);
    await this.whole();
    await this.query(`create role ${VIRGA} login password '${PASSWORD}'`);
    await this.query(`create database ${VIRGA} owner ${VIRGA} encoding 'UTF8' template template0`);
  }

  startEtcd(machine: Machine): void {
    const url = (name: string, port: number) => `http://${this.addresses.get(name)}:${port}`;
    this.#spawn(machine, 'etcd', [
      '--name',
      machine,
      '--data-dir',
      path.join(this.#home(machine), 'etcd'),
      '--listen-client-urls',
      url(machine, 2379),
      '--advertise-client-urls',
      url(machine, 2379),
      '--listen-peer-urls',
      url(machine, 2380),
      '--initial-advertise-peer-urls',
      url(machine, 2380),
      ...(mayUseEtcd3(this.#version) ? [] : ['--enable-v2']),
      '--initial-cluster',
      MACHINES.map((name) => `${name}=${url(name, 2380)}`).join(','),
    ]);
  }

  startPatroni(machine: Machine): void {
    this.#spawn(machine, 'patroni', [path.join(this.#home(machine), 'patroni.json')]);
  }

  killEtcd(machine: Machine): void {
    this.#child(machine, 'etcd').kill('SIGKILL');
  }

  /** Kills PostgreSQL and all its processes. */
  async killPostgres(machine: Machine): Promise<void> {
    const pid = Number(
      readFileSync(path.join(this.#home(machine), 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    const own = new Set([this.#child(machine, 'etcd').pid, this.#child(machine, 'patroni').pid]);
    process.kill(pid, 'SIGSTOP');
    for (const each of this.#segment.processes(machine)) if (!own.has(each)) kill(each);
  }

  /** Kills Patroni, PostgreSQL and all their processes: etcd stays. */
  async killDatabase(machine: Machine): Promise<void> {
    const etcd = this.#child(machine, 'etcd').pid;
    await waitUntil(
      () => {
        const others = this.#segment.processes(machine).filter((pid) => pid !== etcd);
        for (const pid of others) kill(pid);
        return others.length === 0;
      },
      { what: `the programs on ${machine} to end` },
    );
  }

  signalPatroni(machine: Machine, signal: NodeJS.Signals): void {
    this.#child(machine, 'patroni').kill(signal);
  }

  /** Pulls the cable of a machine, or plugs it in again. */
  link(machine: Machine, state: 'up' | 'down'): void {
    this.#segment.link(machine, state);
  }

  /** Hands the lead to a replica that has everything, as an operator does before maintenance. */
  async switchOver(leader: Machine): Promise<void> {
    const answer = await this.#ask(leader, '/switchover', { leader });
    if (answer.status !== 200) throw new Error(`switchover: ${answer.status} ${await answer.text()}`);
  }

  /** The machine whose PostgreSQL is the primary now, by its own Patroni.
   *  @param former another one than this */
  async primary(former?: Machine): Promise<Machine> {
    return waitUntil(
      async () => {
        const asked = MACHINES.filter((machine) => machine !== former).map(async (machine) => {
          const answer = await this.#ask(machine, '/primary').catch(() => undefined);
          return answer?.status === 200 ? machine : undefined;
        });
        return (await Promise.all(asked)).find((machine) => machine !== undefined);
      },
      { what: 'a primary', intervalMs: 100 },
    );
  }

  /** The replica that confirms commits; Patroni may just be choosing one. */
  async confirming(): Promise<Machine> {
    const member = await waitUntil(
      async () => (await this.#members(await this.primary())).find(({ role }) => role === 'sync_standby'),
      { what: 'a replica that confirms commits', intervalMs: 250 },
    );
    return member.name as Machine;
  }

  /** Waits until there are a primary and two replicas that follow it, of which one confirms commits. */
  async whole(): Promise<void> {
    let last: readonly Member[] = [];
    await waitUntil(
      async () => {
        last = await this.#members(await this.primary());
        const followers = last.filter(({ role }) => role !== 'leader');
        return (
          followers.length === MACHINES.length - 1 &&
          last.every(({ state }) => state === 'running' || state === 'streaming') &&
          followers.every(({ lag }) => typeof lag === 'number' && lag < CLOSE_BYTES) &&
          followers.some(({ role }) => role === 'sync_standby')
        );
      },
      { what: () => `a primary and two replicas: ${JSON.stringify(last)}`, intervalMs: 250 },
    );
  }

  /** Asks the primary as its superuser. */
  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const host = this.addresses.get(await this.primary());
    const client = new pg.Client({ host, port: 5432, user: 'postgres', password: PASSWORD, database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Ends everything on the machines, and removes them. */
  async end(): Promise<void> {
    for (const machine of MACHINES)
      await waitUntil(
        () => {
          const pids = this.#segment.processes(machine);
          for (const pid of pids) kill(pid);
          return pids.length === 0;
        },
        { what: `the programs on ${machine} to end` },
      );
    this.#segment.remove();
  }

  /** The last lines that Patroni wrote on each machine. */
  log(): string {
    const lines = MACHINES.map((machine) => {
      const text = readFileSync(path.join(this.#home(machine), 'patroni.log'), 'utf8');
      return `${machine}:\n${text.split('\n').slice(-20).join('\n')}`;
    });
    return lines.join('\n');
  }

  async #members(machine: Machine): Promise<readonly Member[]> {
    const answer = await this.#ask(machine, '/cluster');
    return ((await answer.json()) as { readonly members: readonly Member[] }).members;
  }

  #ask(machine: Machine, where: string, body?: object): Promise<Response> {
    return fetch(`http://${this.addresses.get(machine)}:8008${where}`, {
      method: body ? 'POST' : 'GET',
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(body ? 60_000 : ASK_MS),
    });
  }

  #configuration(machine: Machine): object {
    return configurationOf({
      name: machine,
      address: this.addresses.get(machine) ?? '',
      etcd: [...this.addresses.values()],
      home: this.#home(machine),
      binaries: this.#binaries,
      network: `${NETWORK}.0/24`,
      password: PASSWORD,
      version: this.#version,
    });
  }

  #home(machine: Machine): string {
    return path.join(this.#folder, machine);
  }

  #child(machine: Machine, program: Program): ChildProcess {
    const child = this.#children.get(`${program} ${machine}`);
    if (!child) throw new Error(`${program} was not started on ${machine}`);
    return child;
  }

  #spawn(machine: Machine, program: Program, args: readonly string[]): void {
    const { uid, gid } = this.#account;
    const [nsenter = '', ...words] = this.#segment.enter(machine);
    const home = this.#home(machine);
    const log = openSync(path.join(home, `${program}.log`), 'a');
    const as = ['--setuid', String(uid), '--setgid', String(gid)];
    const child = spawn(nsenter, [...words, ...as, program, ...args], {
      cwd: home,
      env: { ...ENVIRONMENT, HOME: home },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#children.set(`${program} ${machine}`, child);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
