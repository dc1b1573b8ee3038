import { spawn } from 'node:child_process';
import { closeSync, fchmodSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Binaries, program } from './binaries.ts';
import { ENVIRONMENT } from './cluster.ts';
import { processIdentity } from './instance.mjs';
import type { ClusterLocation } from './location.ts';
import { eventually, gone, isPostgresOn, postgresProcessesOn, signal } from './postgres-processes.ts';
import { StartError } from './start-error.ts';

/** One running PostgreSQL, started by us or found running. */
export interface Postmaster {
  readonly pid: number;
  readonly adopted: boolean;
  /** Resolves with a few words when the process has ended, for whatever reason. */
  readonly exited: Promise<string>;
}

/** Crash recovery of a large write-ahead log is the slowest start there is. */
const START_TIMEOUT_MS = 120_000;
const LARGEST_LOG_BYTES = 5_000_000;

/**
 * A PostgreSQL that is ready on this place: the one that a killed parent left running, or a new one.
 * @throws StartError when it ends or stays silent instead of becoming ready
 */
export async function runPostmaster(location: ClusterLocation, binaries: Binaries): Promise<Postmaster> {
  const leftover = await adopt(location);
  if (leftover) return leftover;
  await clearRemains(location);
  const child = launch(location, binaries);
  if (await becameReady(location, child)) return child;
  await stopPostmaster(child.pid);
  throw new StartError(
    `PostgreSQL did not start: ${lastComplaint(location.logFile)} (log: ${location.logFile})`,
  );
}

/** Fast shutdown; harsher when that takes too long, after which the next start recovers from the log. Resolves when
 *  the process is gone, or in 9 s. */
export async function stopPostmaster(pid: number): Promise<void> {
  const identity = processIdentity(pid);
  if (identity === undefined) return;
  const steps = [
    ['SIGINT', 6_000],
    ['SIGQUIT', 1_500],
    ['SIGKILL', 1_500],
  ] as const;
  for (const [name, patienceMs] of steps) {
    if (!signal(pid, name)) return;
    if (await eventually(() => processIdentity(pid) !== identity, patienceMs)) return;
  }
}

/** Lines of postmaster.pid: 0 pid, 1 data directory, 4 socket folder, 7 status. */
function readPidFile(
  location: ClusterLocation,
): { pid: number; socketDir: string; status: string } | undefined {
  try {
    const lines = readFileSync(path.join(location.clusterDir, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, socketDir: lines[4]?.trim() ?? '', status: lines[7]?.trim() ?? '' };
  } catch {
    return undefined;
  }
}

async function adopt(location: ClusterLocation): Promise<Postmaster | undefined> {
  const found = readPidFile(location);
  if (!found || !isPostgresOn(found.pid, location.clusterDir)) return undefined;
  const exited = gone(found.pid, 200).then(() => 'ended');
  const postmaster = { pid: found.pid, adopted: true, exited };
  const usable =
    (await becameReady(location, postmaster)) && readPidFile(location)?.socketDir === location.socketDir;
  if (usable) return postmaster;
  await stopPostmaster(found.pid);
  return undefined;
}

/**
 * After a kill of the postmaster its backends end by themselves within moments, and PostgreSQL will not
 * start before. A pid file whose number now belongs to some other program would stop it for ever.
 */
async function clearRemains(location: ClusterLocation): Promise<void> {
  const none = () => postgresProcessesOn(location.clusterDir).length === 0;
  if (!(await eventually(none, 10_000))) {
    for (const pid of postgresProcessesOn(location.clusterDir)) signal(pid, 'SIGKILL');
    await eventually(none, 5_000);
  }
  const found = readPidFile(location);
  if (process.platform !== 'linux' || !none()) return;
  // What is gone for certain may still look alive to PostgreSQL: a killed one that nobody has reaped, as in
  // a container without an init.
  if (found && signal(found.pid, 0))
    rmSync(path.join(location.clusterDir, 'postmaster.pid'), { force: true });
  rmSync(path.join(location.socketDir, '.s.PGSQL.5432.lock'), { force: true });
}

function launch(location: ClusterLocation, binaries: Binaries): Postmaster {
  const log = openLog(location.logFile);
  const child = spawn(program(binaries, 'postgres'), ['-D', location.clusterDir], {
    env: ENVIRONMENT,
    cwd: '/',
    // A session of its own: Ctrl-C at the terminal must not reach it before us.
    detached: true,
    stdio: ['ignore', log, log],
    ...(location.account ? { uid: location.account.uid, gid: location.account.gid } : {}),
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signalName) =>
      resolve(signalName ? `killed by ${signalName}` : `exit code ${code}`),
    );
  });
  return { pid: child.pid ?? 0, adopted: false, exited };
}

function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG_BYTES) renameSync(file, `${file}.old`);
  const fd = openSync(file, 'a', 0o600);
  fchmodSync(fd, 0o600);
  return fd;
}

async function becameReady(location: ClusterLocation, postmaster: Postmaster): Promise<boolean> {
  let ended = false;
  void postmaster.exited.then(() => {
    ended = true;
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    // Let a pending exit event through before believing a file that may be a predecessor's.
    await delay(15);
    if (ended) return false;
    const file = readPidFile(location);
    if (file?.pid === postmaster.pid && file.status === 'ready') return true;
    if (file?.pid === postmaster.pid && file.status === 'stopping') return false;
  }
  return false;
}

/** The last thing PostgreSQL complained of, for a one-line error. */
function lastComplaint(logFile: string): string {
  try {
    const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-20);
    const line = lines.findLast((text) => /FATAL|PANIC|ERROR|error/.test(text)) ?? lines.at(-1) ?? '';
    return line.replace(/^.*?(FATAL|PANIC|ERROR): +/, '');
  } catch {
    return 'no reason was logged';
  }
}
