// @ts-check
// npm start -- --wait: the server goes on by itself, and whoever started it learns whether it is ready.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  currentInstances,
  newTemporaryDataDir,
  resolveDataDir,
  TEMPORARY,
} from '../../server/src/platform/database/embedded/instance.mjs';
import { purgeDataDir } from '../../server/src/platform/database/embedded/purge.mjs';
import { makeFolder } from '../../signing/src/folders.mjs';
import { SERVER_FLAGS } from './server-flags.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {typeof import('../../server/src/platform/database/embedded/instance.mjs').FACTS[number]} Fact */

/**
 * @typedef {object} Background
 * @property {string | undefined} wrong  what is wrong with the options
 * @property {number} patienceMs
 * @property {string[]} args  for the server
 */

/** Enough for the first start on a slow machine, with all that is to be installed done before. */
const PATIENCE_S = 120;
/** After which a server that was asked to end is ended. */
const END_MS = 35_000;
/** Lines. */
const LONGEST_REASON = 12;
const LARGEST_LOG_BYTES = 5_000_000;

/**
 * @param {string[]} args
 * @returns {Background | undefined} undefined for a start in the foreground
 */
export function backgroundOptions(args) {
  const isOurs = (/** @type {string} */ arg) => /^--(wait|detach)(=|$)/.test(arg);
  const ours = args.filter(isOurs);
  if (ours.length === 0) return undefined;
  const given = ours.map((arg) => arg.split('=')[1]).find((value) => value !== undefined);
  const seconds = given === undefined ? PATIENCE_S : Number(given);
  const isRight = Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400;
  return {
    wrong: isRight ? undefined : `--wait needs a number of seconds, such as --wait=60, not "${given}".`,
    patienceMs: seconds * 1000,
    args: args.filter((arg) => !isOurs(arg) && arg !== '--'),
  };
}

/**
 * Starts the server as a process of its own and waits until it is ready. What a script needs goes to standard output,
 * as NAME=value, and everything else to standard error.
 * @param {string} root
 * @param {Background} options
 * @returns {Promise<number>} the exit code
 */
export async function startInBackground(root, { wrong, patienceMs, args }) {
  if (wrong !== undefined) return refuse(wrong);
  const preparing = path.join(root, 'scripts', 'lib', 'prepare.mjs');
  // Its standard output is our standard error.
  if (spawnSync(process.execPath, [preparing], { stdio: ['ignore', 2, 2] }).status !== 0) return 1;
  const dataDir =
    process.env.VIRGA_DATA_DIR?.trim() === TEMPORARY ? newTemporaryDataDir() : resolveDataDir(process.env);
  const isNew = !existsSync(dataDir);
  const log = logFile(dataDir);
  const { child, said } = launch(root, args, dataDir, log);
  const interrupted = endWithUs(child);
  const outcome = await waitFor(child, dataDir, patienceMs, interrupted);
  if ('url' in outcome) {
    for (const line of facts(dataDir, log, child.pid ?? 0, outcome.url)) console.log(line);
    child.unref();
    return 0;
  }
  if (outcome.running) await end(child);
  const reason = reasonIn(said());
  if (path.dirname(log) === os.tmpdir()) rmSync(log);
  // A start that is refused leaves nothing.
  if (isNew && existsSync(log) && readdirSync(dataDir).length === 1) rmSync(dataDir, { recursive: true });
  if (dataDir !== resolveDataDir(process.env)) await purgeDataDir(dataDir);
  return refuse(
    outcome.running ? `${outcome.why}${reason ? ` It said last:\n${reason}` : ''}` : reason || outcome.why,
  );
}

/** @param {string} why */
function refuse(why) {
  console.error(why);
  return 1;
}

/**
 * In the data directory, unless that is somebody else's folder: such a start is refused, and leaves nothing there.
 * @param {string} dataDir
 */
function logFile(dataDir) {
  const elsewhere = path.join(os.tmpdir(), `virga-${process.pid}.log`);
  try {
    makeFolder(dataDir, 0o700);
    const names = readdirSync(dataDir);
    const isOurs = ['lock', 'nodes', 'temporary', 'master-key'].some((name) => names.includes(name));
    const isMine = statSync(dataDir).uid === process.getuid?.();
    return isOurs || (names.length === 0 && isMine) ? path.join(dataDir, 'virga.log') : elsewhere;
  } catch {
    return elsewhere;
  }
}

/**
 * @param {string} root
 * @param {string[]} args
 * @param {string} dataDir
 * @param {string} log
 */
function launch(root, args, dataDir, log) {
  if (existsSync(log) && statSync(log).size > LARGEST_LOG_BYTES) renameSync(log, `${log}.old`);
  const since = existsSync(log) ? statSync(log).size : 0;
  // Read through the same file: a temporary data directory goes with its server, and the log with it.
  const fd = openSync(log, 'a+', 0o600);
  const server = path.join(root, 'server', 'dist', 'main.js');
  const child = spawn(process.execPath, [...SERVER_FLAGS, server, ...args], {
    // A session of its own: it goes on when this terminal, or this step of a pipeline, ends.
    detached: true,
    stdio: ['ignore', fd, fd],
    env: { ...process.env, VIRGA_DATA_DIR: dataDir },
  });
  return { child, said: () => readFrom(fd, since) };
}

/**
 * Who interrupts the waiting does not want the server.
 * @param {ChildProcess} child
 * @returns {AbortSignal}
 */
function endWithUs(child) {
  const interrupted = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(name, () => {
      child.kill('SIGINT');
      interrupted.abort();
    });
  }
  return interrupted.signal;
}

/**
 * @param {ChildProcess} child
 * @param {string} dataDir
 * @param {number} patienceMs
 * @param {AbortSignal} interrupted
 * @returns {Promise<{ url: string } | { running: boolean, why: string }>}
 */
async function waitFor(child, dataDir, patienceMs, interrupted) {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      return {
        running: false,
        why: `Virga ended with ${child.signalCode ?? `exit code ${child.exitCode}`}.`,
      };
    }
    if (interrupted.aborted) return { running: true, why: 'The start was interrupted.' };
    const ready = instancesOf(dataDir).find(({ pid, url }) => pid === child.pid && url !== undefined);
    if (ready) return { url: ready.url ?? '' };
    await delay(50);
  }
  return { running: true, why: `Virga was not ready within ${patienceMs / 1000} s; it is stopped.` };
}

/**
 * In a folder that cannot be read nobody is known; the server itself says what is wrong with it.
 * @param {string} dataDir
 */
function instancesOf(dataDir) {
  try {
    return currentInstances(dataDir);
  } catch {
    return [];
  }
}

/** @param {ChildProcess} child */
async function end(child) {
  child.kill('SIGINT');
  const deadline = performance.now() + END_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline)
    await delay(50);
  child.kill('SIGKILL');
}

/**
 * @param {number} fd
 * @param {number} since
 */
function readFrom(fd, since) {
  const text = Buffer.alloc(Math.max(0, fstatSync(fd).size - since));
  readSync(fd, text, 0, text.length, since);
  return text.toString();
}

/**
 * What the server said for people since it was started, or else its last lines.
 * @param {string} said
 */
function reasonIn(said) {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const forPeople = lines.filter((line) => !line.startsWith('{'));
  return (forPeople.length > 0 ? forPeople : lines).slice(-LONGEST_REASON).join('\n');
}

/**
 * @param {string} dataDir
 * @param {string} log
 * @param {number} pid
 * @param {string} url
 * @returns {string[]}
 */
function facts(dataDir, log, pid, url) {
  const credentials = path.join(dataDir, 'credentials');
  const token = tokenIn(credentials);
  /** @type {Partial<Record<Fact | 'VIRGA_DATA_DIR' | 'API_TOKEN', string>>} */
  const values = {
    // A worker serves nothing.
    ...(url && { VIRGA_URL: url }),
    VIRGA_PID: String(pid),
    VIRGA_DATA_DIR: dataDir,
    VIRGA_LOG: log,
    ...(existsSync(credentials) && { VIRGA_CREDENTIALS: credentials }),
    ...(token !== undefined && { API_TOKEN: token }),
  };
  return Object.entries(values).map(([name, value]) => `${name}=${quoted(value)}`);
}

/**
 * A token that the settings fix is known to whoever set it, and is not repeated.
 * @param {string} credentials
 */
function tokenIn(credentials) {
  if (process.env.VIRGA_API_KEY || process.env.VIRGA_API_KEY_FILE || !existsSync(credentials))
    return undefined;
  return /^API_TOKEN=(.*)$/m.exec(readFileSync(credentials, 'utf8'))?.[1];
}

/**
 * For a shell; most values need no quotes, which files of NAME=value lines do not know.
 * @param {string} value
 */
const quoted = (value) => (/^[\w./:@%+,[\]-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);
