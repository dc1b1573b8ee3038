import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { webBalancer } from '../harness/balancer.ts';
import { cableFault } from '../harness/cable.ts';
import { processesIn } from '../harness/leftovers.ts';
import { Segment } from '../harness/machines.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { Caller } from './caller.ts';
import { PASSWORD, PostgresServer } from './postgres.ts';
import { Prometheus } from './prometheus.ts';
import { ApiProxy, promotedByHand } from './proxy.ts';

/** An installation on one machine of namespaces: two API nodes behind a proxy, PostgreSQL with a replica, and two machines
 *  that serve regions, on a segment with a machine of clients. A Prometheus watches it. */

export const MACHINES = ['machine-1', 'machine-2'] as const;
export type Machine = (typeof MACHINES)[number];
export const CLIENTS = 'client';
/** This machine on the segment. */
const NETWORK = '198.18.79';
export const HERE = `${NETWORK}.1`;
const WEB_PORT = 8088;
const ROOT = path.join(import.meta.dirname, '..', '..');
const COMMAND = path.join(ROOT, 'cli/bin/virga.mjs');

export interface LabOptions {
  /** The first of ten ports. */
  readonly port: number;
  readonly regions: readonly object[];
  /** Where PostgreSQL keeps its files; default: in the folder of the lab. */
  readonly postgresIn?: (folder: string) => string;
}

export interface NodeOptions {
  readonly dataDir: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly enter?: readonly string[];
}

/** A process of Virga that can be killed, and started again as it was. */
export class LabNode {
  readonly options: NodeOptions;
  process: VirgaProcess | undefined;
  /** What its processes have said, one after the other. */
  readonly #outputs: (() => string)[] = [];

  constructor(options: NodeOptions) {
    this.options = options;
  }

  get url(): string {
    if (!this.process) throw new Error('the node was not started');
    return this.process.url;
  }

  async start(): Promise<void> {
    this.process = await startVirga(this.options);
    this.#outputs.push(this.process.output);
  }

  get log(): string {
    return this.#outputs.map((output) => output()).join('');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    await this.process?.end(signal);
  }
}

export class Lab {
  readonly folder: string;
  readonly segment = new Segment([...MACHINES, CLIENTS], NETWORK);
  readonly primary: PostgresServer;
  readonly replica: PostgresServer;
  readonly proxy: ApiProxy;
  readonly prometheus: Prometheus;
  readonly apis: readonly LabNode[];
  readonly workers = new Map<Machine, LabNode>();
  /** Of this machine, at which load balancers may have members. */
  readonly member: Server;
  readonly #options: LabOptions;
  readonly #dataDirs = new Map<string, string>();

  /** @throws with what this machine lacks */
  static async start(options: LabOptions): Promise<Lab> {
    const fault = cableFault();
    if (fault) throw new Error(`the trial needs namespaces: ${fault}`);
    const folder = mkdtempSync(path.join(tmpdir(), 'virga-trial-'));
    // PostgreSQL has an account of its own, which has to get there.
    chmodSync(folder, 0o711);
    const parent = options.postgresIn?.(folder) ?? folder;
    const primary = await PostgresServer.create(parent, options.port + 4);
    const lab = new Lab(options, folder, primary);
    const interrupted = async () => {
      await lab.end();
      lab.removeFolder();
      process.exit(130);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => void interrupted());
    try {
      await lab.#begin();
    } catch (error) {
      await lab.end();
      throw error;
    }
    return lab;
  }

  private constructor(options: LabOptions, folder: string, primary: PostgresServer) {
    const { port } = options;
    this.#options = options;
    this.folder = folder;
    this.primary = primary;
    this.replica = primary.replicate(path.join(folder, 'replica'), port + 5);
    const nodes = [port + 1, port + 2];
    this.proxy = new ApiProxy(folder, {
      api: port,
      nodes,
      database: port + 3,
      postgres: promotedByHand(port + 4, port + 5),
      databaseAt: HERE,
    });
    this.prometheus = new Prometheus(folder, port + 6);
    this.member = createServer((_request, response) => response.end('member'));
    this.saveRegions(options.regions);
    this.apis = nodes.map((each) => this.node({ PORT: String(each) }));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#options.port}`;
  }

  /** The body of a load balancer whose member is on this machine. */
  web(name: string): object {
    const { port } = this.member.address() as AddressInfo;
    return { ...webBalancer(WEB_PORT, [port], {}, HERE), name };
  }

  webUrl(vip: string): string {
    return `http://${vip}:${WEB_PORT}/`;
  }

  /** A port of this machine for another node. */
  get freePort(): number {
    return this.#options.port + 7;
  }

  get operatorToken(): string {
    const text = readFileSync(path.join(this.dataDir('api'), 'credentials'), 'utf8');
    return /^OPERATOR_TOKEN=(.*)$/m.exec(text)?.[1] ?? '';
  }

  get operator(): Caller {
    return new Caller(this.url, this.operatorToken);
  }

  /** Where a node reaches PostgreSQL. */
  databaseUrl(host = '127.0.0.1'): string {
    return `postgresql://trial:${PASSWORD}@${host}:${this.#options.port + 3}/virga`;
  }

  dataDir(name: string): string {
    const made = this.#dataDirs.get(name) ?? newDataDir();
    this.#dataDirs.set(name, made);
    return made;
  }

  /** The file of regions, which nodes read when they start. */
  saveRegions(regions: readonly object[]): void {
    writeFileSync(path.join(this.folder, 'regions.json'), JSON.stringify({ regions }));
  }

  /** A node that answers requests; it is not started. */
  node(env: Readonly<Record<string, string>>, enter: readonly string[] = []): LabNode {
    return new LabNode({
      dataDir: this.dataDir('api'),
      args: ['--role', 'api'],
      env: { ...this.#env(), ...env },
      enter,
    });
  }

  /** A worker on a machine; it is not started. */
  workerOn(machine: Machine, env: Readonly<Record<string, string>> = {}): LabNode {
    const number = MACHINES.indexOf(machine);
    return new LabNode({
      dataDir: this.dataDir(machine),
      args: ['--role', 'worker'],
      env: {
        ...this.#env(HERE),
        VIRGA_NODE: machine,
        VIRGA_ENGINE_ACCOUNTS: `${80_000 + number * 1000}-${80_999 + number * 1000}`,
        HOST: `${NETWORK}.${10 + number}`,
        VIRGA_PROBE_PORT: '8081',
        ...env,
      },
      enter: this.segment.enter(machine),
    });
  }

  /** @param env what it is told beside the rest, from now on; default: as before */
  async startWorker(machine: Machine, env?: Readonly<Record<string, string>>): Promise<void> {
    const known = env === undefined ? this.workers.get(machine) : undefined;
    const worker = known ?? this.workerOn(machine, env);
    this.workers.set(machine, worker);
    await worker.start();
    const { HOST: host, VIRGA_PROBE_PORT: port } = worker.options.env;
    this.prometheus.watch(`http://${host}:${port}`);
  }

  /** As when the power of a machine fails: nothing of it runs, nothing comes from it. */
  cutPower(machine: Machine): void {
    for (const pid of processesIn(this.dataDir(machine))) process.kill(pid, 'SIGKILL');
    this.segment.link(machine, 'down');
    const own = `${NETWORK}.${10 + MACHINES.indexOf(machine)}`;
    for (const address of this.segment.addresses(machine))
      if (address.startsWith(`${NETWORK}.`) && address !== own) this.segment.forget(machine, address);
  }

  /** The power is back: nothing runs there yet, and what is started reaches the others. */
  async connect(machine: Machine): Promise<void> {
    this.segment.link(machine, 'up');
    const database = this.#options.port + 3;
    await waitUntil(() => this.segment.reaches(machine, database), { what: `${machine} to be connected` });
  }

  /** Programs of engines on a machine.
   *  @param engine the folder: `load-balancers` */
  programs(machine: Machine, region: number, engine: string): number[] {
    return processesIn(path.join(this.dataDir(machine), 'regions', String(region), engine));
  }

  /** Runs the command line as an operator, or as somebody else does.
   *  @returns what it writes
   *  @throws with what it writes when it fails */
  virga(words: readonly string[], token = this.operatorToken): Promise<string> {
    return this.shell([process.execPath, COMMAND, ...words], { VIRGA_URL: this.url, VIRGA_TOKEN: token });
  }

  /** Asks a tenant's database, which is reached over TLS. */
  async query(host: string, password: string, text: string): Promise<Record<string, unknown>[]> {
    const ssl = { rejectUnauthorized: false };
    const client = new pg.Client({ host, user: 'app', database: 'shop', password, ssl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Ends what listens at a port of this machine, for nodes whose output nobody reads. */
  async killListener(port: number): Promise<void> {
    const out = await this.shell(['ss', '-Hltnp', `sport = :${port}`]);
    for (const [, pid = ''] of out.matchAll(/pid=(\d+)/g)) process.kill(Number(pid), 'SIGKILL');
  }

  shell([program = '', ...words]: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const { PATH } = process.env;
    return new Promise((resolve, reject) => {
      const options = { env: { PATH, HOME: this.folder, ...env }, timeout: 180_000 };
      execFile(program, words, options, (error, out, err) =>
        error ? reject(new Error(`${words.join(' ')}: ${out}${err}`)) : resolve(out),
      );
    });
  }

  async end(): Promise<void> {
    await this.prometheus.end();
    await Promise.all([...this.apis, ...this.workers.values()].map((node) => node.end('SIGTERM')));
    for (const [name, folder] of this.#dataDirs) {
      if (name !== 'api') for (const pid of processesIn(folder)) process.kill(pid, 'SIGKILL');
      removeDataDir(folder);
    }
    await this.proxy.end('SIGKILL');
    await Promise.all([this.primary, this.replica].map((each) => each.end('SIGKILL')));
    this.member.closeAllConnections();
    this.member.close();
    this.segment.remove();
  }

  /** Keeps what the workers of the machines have said, for whoever looks for the cause of something.
   *  @returns the folder */
  keepLogs(workers: Iterable<LabNode>): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'virga-trial-logs-'));
    for (const [index, worker] of [...workers].entries()) {
      const { VIRGA_NODE: machine, VIRGA_PROBE_PORT: port } = worker.options.env;
      writeFileSync(path.join(folder, `${machine}-${port}-${index}.log`), worker.log);
    }
    return folder;
  }

  /** When nothing is mounted there any more. */
  removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    await new Promise<void>((resolve) => this.member.listen(0, HERE, resolve));
    await Promise.all([this.primary.start(), this.replica.start()]);
    await this.primary.query('create database virga');
    await this.proxy.start();
    // The first one makes the database.
    for (const api of this.apis) await api.start();
    mkdirSync(this.folder, { recursive: true });
    await this.prometheus.start(this.operatorToken);
    for (const api of this.apis) this.prometheus.watch(api.url);
    for (const machine of MACHINES) await this.startWorker(machine);
  }

  #env(host?: string): Readonly<Record<string, string>> {
    return {
      DATABASE_URL: this.databaseUrl(host),
      VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      VIRGA_TIME_SCALE: '0',
      VIRGA_RATE_LIMIT: '0',
      VIRGA_TRUSTED_PROXIES: '127.0.0.1',
      VIRGA_ACCESS_LOG: 'off',
      VIRGA_WEBHOOK_NETWORKS: `${NETWORK}.0/24`,
      VIRGA_REGIONS: path.join(this.folder, 'regions.json'),
    };
  }
}
