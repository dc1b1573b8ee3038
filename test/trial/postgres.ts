import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type Account, initdbAccount } from '../../server/src/platform/database/embedded/account.ts';
import {
  type Binaries,
  prepareBinaries,
  program,
} from '../../server/src/platform/database/embedded/binaries.ts';
import { waitUntil } from '../harness/wait.ts';

/** A PostgreSQL of an operator: a primary, and a replica that confirms every commit. */

export const PASSWORD = randomBytes(12).toString('hex');
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C', TZ: 'UTC' };

export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly #binaries: Binaries;
  readonly #account: Account | undefined;
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, binaries: Binaries, account: Account | undefined) {
    this.folder = folder;
    this.port = port;
    this.#binaries = binaries;
    this.#account = account;
  }

  /** A new cluster, not started. */
  static async create(parent: string, port: number): Promise<PostgresServer> {
    const account = initdbAccount();
    const binaries = await prepareBinaries(account, parent);
    const server = new PostgresServer(path.join(parent, 'primary'), port, binaries, account);
    const secret = path.join(parent, 'password');
    writeFileSync(secret, PASSWORD);
    mkdirSync(server.folder, { mode: 0o700 });
    if (account) for (const file of [server.folder, secret]) chownSync(file, account.uid, account.gid);
    const words = ['-U', 'trial', '-A', 'scram-sha-256', '--encoding=UTF8', '--locale=C'];
    const args = ['-D', server.folder, ...words, `--pwfile=${secret}`];
    const made = spawnSync(program(binaries, 'initdb'), args, { ...server.#as(), encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
    server.#set({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: String(port),
      max_connections: '200',
      io_method: 'sync',
      // Nothing that was acknowledged may be missing on the replica.
      synchronous_standby_names: 'ANY 1 (*)',
      log_min_messages: 'fatal',
    });
    return server;
  }

  /** A replica of a primary that is not running. */
  replicate(folder: string, port: number): PostgresServer {
    cpSync(this.folder, folder, { recursive: true });
    if (this.#account) {
      const { uid, gid } = this.#account;
      spawnSync('chown', ['-R', `${uid}:${gid}`, folder]);
    }
    const replica = new PostgresServer(folder, port, this.#binaries, this.#account);
    replica.#set({
      port: String(port),
      primary_conninfo: `host=127.0.0.1 port=${this.port} user=trial password=${PASSWORD}`,
    });
    writeFileSync(path.join(folder, 'standby.signal'), '');
    return replica;
  }

  async start(): Promise<void> {
    this.#child = spawn(program(this.#binaries, 'postgres'), ['-D', this.folder], {
      ...this.#as(),
      stdio: 'ignore',
    });
    await waitUntil(() => this.query('select 1'), { what: 'PostgreSQL to answer' });
  }

  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: 'trial',
      password: PASSWORD,
      database,
    });
    // A server that is killed while nobody waits for an answer would end the trial.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Becomes the primary; nobody follows it. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
    await this.query('alter system reset synchronous_standby_names');
    await this.query(`alter system set synchronous_standby_names = ''`);
    await this.query('select pg_reload_conf()');
  }

  /** To the server and all its processes. */
  signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    // While it stands still it makes no other process, which would be missed.
    signal(pid, 'SIGSTOP');
    const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout.split('\n');
    for (const each of [...children.filter(Boolean), pid]) signal(Number(each), name);
  }

  async end(name: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (name === 'SIGKILL') this.signal(name);
    else child.kill(name);
    await ended;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #set(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(path.join(this.folder, 'postgresql.conf'), lines.join(''));
  }

  #as() {
    const account = this.#account && { uid: this.#account.uid, gid: this.#account.gid };
    return { ...account, cwd: '/', env: ENVIRONMENT };
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
