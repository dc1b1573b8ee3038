import { existsSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { readText, removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import { type ProcessIdentity, processOf, signalProcess, terminate } from '../../../kernel/processes.ts';
import {
  makeFileOfEngine,
  makeOwnFolder,
  makePassage,
  readForeignText,
  writeForEngine,
} from '../host/files.ts';
import { run } from '../host/programs.ts';
import { ADMIN, aclLines, POOLER, PORT, VERIFIERS } from './configuration.ts';
import type { Paths } from './paths.ts';
import { AUTH_QUERY, PoolerLookup } from './pooler-lookup.ts';
import type { Notes, Server } from './server.ts';

/** Where clients of a pooler connect to, at the address of the cluster. */
export const POOLER_PORT = 6432;
const MOST_CLIENTS = 1000;
/** Of one connection of the server. */
const MOST_STATEMENTS = 200;
const LISTEN_MS = 5_000;
const LOOK_EVERY_MS = 20;
/** The share of the server's connections that clients of the pooler may use; the rest is for those who come without. */
const SHARE = 0.8;
const USUAL_CONNECTIONS = 50;

/** How many connections the server of a cluster accepts. */
function connectionsOf({ pg_conf: conf, flavorSettings }: DesiredCluster): number {
  const [own] = [...conf.matchAll(/^\s*max_connections\s*=?\s*'?(\d+)/gim)].slice(-1);
  return Number(own?.[1] ?? flavorSettings.max_connections ?? USUAL_CONNECTIONS);
}

/** PgBouncer on this machine. */
export interface PoolerProgram {
  /** undefined: there is none. */
  readonly program: string | undefined;
  /** Why new poolers cannot have it, such as its age; undefined: they can. */
  readonly fault: string | undefined;
}

/** The PgBouncer of one cluster: lets many clients share the connections of its server. It outlives this process, and
 *  is found again. */
export class Pooler {
  readonly #home: string;
  readonly #folder: string;
  readonly #conf: string;
  readonly #pidFile: string;
  /** There while it has not read its files since they changed. */
  readonly #unread: string;
  readonly #lookup = new PoolerLookup();

  /** @param home of the cluster */
  constructor(home: string) {
    this.#home = home;
    this.#folder = join(home, 'pooler');
    this.#conf = join(this.#folder, 'pgbouncer.ini');
    this.#pidFile = join(this.#folder, 'run', 'pgbouncer.pid');
    this.#unread = join(this.#folder, 'unread');
  }

  running(): ProcessIdentity | null {
    const pid = Number(readForeignText(this.#pidFile)?.trim());
    return processOf(pid, (words) => words.includes(this.#conf));
  }

  /** Brings it to what is desired, and back when it has ended.
   *  @returns why it does not serve; null: it does, or should not */
  async reconcile(desired: DesiredCluster, server: Server, engine: PoolerProgram): Promise<string | null> {
    const { program } = engine;
    if (desired.pooler === null) return this.remove();
    if (program === undefined) return 'The pooler does not run: PgBouncer is not installed on this machine';
    const fault = await this.#lookup.prepare(server);
    // Another version reads other settings.
    await this.#endOther(program);
    this.#write(desired, server, engine.fault === undefined);
    const process = this.running();
    if (process && existsSync(this.#unread)) signalProcess(process, 'SIGHUP');
    if (!process) {
      rmSync(this.#pidFile, { force: true });
      const { exitCode, output } = await run(program, ['-q', '-d', this.#conf], {
        home: this.#home,
        paths: [server.paths.sockets],
      });
      if (exitCode !== 0) return `The pooler does not start: ${output.trim().split('\n').at(-1)}`;
    }
    if (!(await listens(desired.host))) return 'The pooler does not listen';
    rmSync(this.#unread, { force: true });
    return fault;
  }

  async stop(): Promise<void> {
    const process = this.running();
    if (process) await terminate(process);
  }

  async remove(): Promise<null> {
    if (!existsSync(this.#folder)) return null;
    await this.stop();
    await removeFolder(this.#folder);
    return null;
  }

  async #endOther(program: string): Promise<void> {
    const process = this.running();
    const running = process && programOf(process);
    if (running && running !== realpathSync(program)) await terminate(process);
  }

  #write(desired: DesiredCluster, { paths, notes }: Server, isNewEnough: boolean): void {
    makePassage(this.#folder);
    makeOwnFolder(join(this.#folder, 'run'), this.#home);
    makeFileOfEngine(join(this.#folder, 'pgbouncer.log'), this.#home);
    const path = (name: string) => join(this.#folder, name);
    const files = [
      [path('server.crt'), desired.tls.certificate],
      [path('server.key'), desired.tls.privateKey],
      [path('hba.conf'), renderHba(desired, notes)],
      [path('users.txt'), `"${POOLER}" "${notes?.poolerPassword ?? ''}"\n`],
      [this.#conf, this.#render(desired, paths, isNewEnough)],
    ] as const;
    const changed = files.filter(([name, text]) => readText(name) !== text);
    if (changed.length === 0) return;
    // Noted first: whoever is killed before the pooler reloads them leaves files that look as if they counted.
    writeFileAtomically(this.#unread, '');
    for (const [name, text] of changed) writeForEngine(name, text, this.#home);
  }

  #render(desired: DesiredCluster, primary: Paths, isNewEnough: boolean): string {
    const most = Math.max(2, Math.floor(connectionsOf(desired) * SHARE));
    const settings = {
      listen_addr: desired.host,
      listen_port: POOLER_PORT,
      unix_socket_dir: '',
      pidfile: this.#pidFile,
      logfile: join(this.#folder, 'pgbouncer.log'),
      log_connections: 0,
      log_disconnections: 0,
      pool_mode: desired.pooler,
      auth_type: 'hba',
      auth_hba_file: join(this.#folder, 'hba.conf'),
      auth_file: join(this.#folder, 'users.txt'),
      // Whoever has changed a password with SQL gets in with that one.
      auth_user: POOLER,
      auth_query: AUTH_QUERY,
      client_tls_sslmode: 'require',
      client_tls_cert_file: join(this.#folder, 'server.crt'),
      client_tls_key_file: join(this.#folder, 'server.key'),
      client_tls_protocols: 'secure',
      max_client_conn: MOST_CLIENTS,
      default_pool_size: Math.max(1, Math.floor(most / 2)),
      max_db_connections: most,
      server_login_retry: 1,
      // Drivers send it by themselves, and whatever is positive means the same. What else a session cannot keep is refused.
      ignore_startup_parameters: 'extra_float_digits',
      ...(isNewEnough && { max_prepared_statements: MOST_STATEMENTS }),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const server = `* = host=${primary.sockets} port=${PORT}`;
    return ['[databases]', server, '', '[pgbouncer]', ...lines, ''].join('\n');
  }
}

/** PgBouncer 1.18 knows no `all` as an address. */
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

const renderHba = ({ acl }: DesiredCluster, notes: Notes | null): string => {
  const own = [ADMIN, POOLER, VERIFIERS].flatMap((role) =>
    EVERYWHERE.map((network) => `host all ${role} ${network} reject`),
  );
  return [...own, ...aclLines(notes?.full?.isClosed ? [] : acl), ''].join('\n');
};

/** Whether it lets somebody connect, or does within moments. */
async function listens(host: string): Promise<boolean> {
  for (let waited = 0; waited < LISTEN_MS; waited += LOOK_EVERY_MS) {
    if (await accepts(host)) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

function accepts(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: POOLER_PORT });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** The file that a process runs; undefined where the system does not say. */
function programOf({ pid }: ProcessIdentity): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
