import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import path from 'node:path';
import { syncNames, writeFileAtomically } from '../../../kernel/files.ts';
import { type Account, initdbAccount } from './account.ts';
import { type Binaries, majorVersion, program } from './binaries.ts';
import type { ClusterLocation } from './location.ts';
import { eventually, postgresProcessesOn, signal } from './postgres-processes.ts';
import { StartError } from './start-error.ts';

/** PostgreSQL's superuser. The application is not; see `application-role.ts`. */
export const SUPERUSER = 'virga';

const MIB = 1024 * 1024;

/** What PostgreSQL keeps of its files: a sixteenth of the memory that this process may use, from 64 MiB to 512 MiB. Pages
 *  that are not used take no memory. What does not fit is read from the system's cache, which takes 4 µs a page: a list
 *  that is narrowed to one in a hundred of a million rows reads 10,000.
 *  @param memory bytes */
export function sharedBuffers(memory: number): string {
  return `${Math.floor(Math.max(64, Math.min(512, memory / 16 / MIB)))}MB`;
}

/** For a laptop: little memory when idle, and no acknowledged write ever lost. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: sharedBuffers(Math.min(totalmem(), process.constrainedMemory() || totalmem())),
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  checkpoint_completion_target: '0.9',
  // Short statements on small tables: planning for parallel workers or compiled plans only costs.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  // Saves three worker processes; the working set is in memory.
  io_method: 'sync',
  random_page_cost: '1.1',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] %d ',
};

/** The longest that a new cluster may take, on the slowest of disks. */
const INITDB_MS = 300_000;

/** A minimal environment: PostgreSQL reads settings from variables that a shell may hold for other servers. */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C', TZ: 'UTC' };

export interface ClusterOptions {
  /** Settings that override the defaults, as in postgresql.conf. */
  readonly settings: Record<string, string>;
  /** Whether a new cluster is flushed to disk; only throw-away ones may do without. */
  readonly durable: boolean;
}

/**
 * Makes the cluster when there is none, whole or not at all, and writes its settings.
 * @returns the superuser's password
 */
export async function ensureCluster(
  location: ClusterLocation,
  binaries: Binaries,
  options: ClusterOptions,
): Promise<string> {
  await sweepHalfMade(location);
  if (!existsSync(location.clusterDir)) await createCluster(location, binaries, options);
  checkVersion(location, binaries);
  writeSettings(location, options.settings);
  return readPassword(location);
}

/** What a kill in the middle of initdb left behind, with the processes that may still write there. */
async function sweepHalfMade(location: ClusterLocation): Promise<void> {
  for (const name of readdirSync(location.home)) {
    if (!name.startsWith('new-')) continue;
    const folder = path.join(location.home, name);
    await eventually(() => {
      const pids = postgresProcessesOn(folder);
      for (const pid of pids) signal(pid, 'SIGKILL');
      return pids.length === 0;
    }, 5_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function createCluster(
  location: ClusterLocation,
  binaries: Binaries,
  options: ClusterOptions,
): Promise<void> {
  const draft = path.join(location.home, `new-${randomBytes(4).toString('hex')}`);
  const passwordInput = `${draft}.password`;
  const password = existsSync(location.passwordFile) ? readPassword(location) : newPassword(location);
  mkdirSync(draft, { mode: 0o700 });
  await writeFile(passwordInput, `${password}\n`, { mode: 0o600 });
  const maker = initdbAccount();
  if (maker) for (const file of [draft, passwordInput]) chownSync(file, maker.uid, maker.gid);
  await runInitdb(location, binaries, maker, [
    `--pgdata=${draft}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordInput}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    ...(options.durable ? [] : ['--no-sync']),
  ]);
  rmSync(passwordInput);
  giveTree(draft, location.account);
  await appendFile(path.join(draft, 'postgresql.conf'), "\ninclude_if_exists 'virga.conf'\n");
  renameSync(draft, location.clusterDir);
  syncNames(location.home);
}

/** Gives new data to whom the server will be. */
function giveTree(folder: string, account: Account | undefined): void {
  if (!account) return;
  for (const name of readdirSync(folder, { recursive: true }))
    lchownSync(path.join(folder, String(name)), account.uid, account.gid);
  chownSync(folder, account.uid, account.gid);
}

function runInitdb(
  location: ClusterLocation,
  binaries: Binaries,
  maker: Account | undefined,
  args: string[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program(binaries, 'initdb'), args, {
      env: ENVIRONMENT,
      cwd: '/',
      timeout: INITDB_MS,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(maker ? { uid: maker.uid, gid: maker.gid } : {}),
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    child.on('error', (error) => reject(new StartError(`initdb cannot be run: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) return resolve();
      reject(
        new StartError(`PostgreSQL's data cannot be created in ${location.home}: ${reasonOf(complaint)}`),
      );
    });
  });
}

/** What initdb complains about, and what to do where it does not say so. */
export function reasonOf(complaint: string): string {
  const lines = complaint.trim().split('\n');
  const line = lines.find((text) => /error|fatal/i.test(text)) ?? lines.at(-1) ?? '';
  const advice = ADVICE.find(([pattern]) => pattern.test(line))?.[1];
  return advice === undefined ? line : `${line}; ${advice}, or set DATABASE_URL`;
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/effective user ID/, 'start as a user with an entry in /etc/passwd'],
  // It is run through a shell, which reads these.
  [/same directory as ".*["$`\\].*\/initdb"/, 'move Virga to a path without ", $, ` and \\'],
];

function newPassword(location: ClusterLocation): string {
  const password = randomBytes(24).toString('base64url');
  writeFileAtomically(location.passwordFile, `${password}\n`, { durable: true });
  return password;
}

function readPassword(location: ClusterLocation): string {
  try {
    return readFileSync(location.passwordFile, 'utf8').trim();
  } catch {
    throw new StartError(
      `${location.passwordFile} is missing or unreadable, and without it the data beside it cannot be opened`,
    );
  }
}

function checkVersion(location: ClusterLocation, binaries: Binaries): void {
  const file = path.join(location.clusterDir, 'PG_VERSION');
  if (!existsSync(file)) throw new StartError(`${location.clusterDir} is not a PostgreSQL data directory`);
  const [written, ours] = [readFileSync(file, 'utf8').trim(), majorVersion(binaries, location.account)];
  if (written !== ours) {
    throw new StartError(
      `The data in ${location.clusterDir} was written by PostgreSQL ${written}, and this version brings PostgreSQL ${ours}`,
    );
  }
}

function writeSettings(location: ClusterLocation, overrides: Record<string, string>): void {
  const settings = { ...SETTINGS, unix_socket_directories: location.socketDir, ...overrides };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  const file = path.join(location.clusterDir, 'virga.conf');
  writeFileAtomically(file, `# Written at every start.\n${lines.join('\n')}\n`, { durable: true });
  if (location.account) chownSync(file, location.account.uid, location.account.gid);
}
