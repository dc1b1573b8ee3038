// @ts-check
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Processes of the stack are known by a variable of their environment, which their children inherit. */
const MARK = 'VIRGA_OPENSTACK_STACK';
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 300_000;
const WAIT_MS = 120_000;
const END_PATIENCE_MS = 20_000;

/** @param {string} state */
export const environmentOf = (state) => ({
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  HOME: path.join(state, 'home'),
  TMPDIR: path.join(state, 'tmp'),
  PYTHONDONTWRITEBYTECODE: '1',
  [MARK]: state,
});

/**
 * A program that goes on when this one has ended.
 * @param {string} state
 * @param {string} name of its log
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} [more]
 */
export function startDetached(state, name, [program = '', ...words], more = {}) {
  const log = openSync(path.join(state, 'log', name), 'a');
  const env = { ...environmentOf(state), ...more };
  const child = spawn(program, words, { detached: true, stdio: ['ignore', log, log], env, cwd: state });
  child.on('error', (error) => console.error(`${name}: ${error.message}`));
  child.unref();
  closeSync(log);
}

/**
 * @param {string} state
 * @param {string} name of its log
 * @param {readonly string[]} command
 * @param {{ env?: NodeJS.ProcessEnv, input?: string }} [options]
 * @returns {Promise<string>} what it said
 * @throws when it fails
 */
export function runToEnd(state, name, [program = '', ...words], { env = {}, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const options = { env: { ...environmentOf(state), ...env }, cwd: state, timeout: PATIENCE_MS };
    const child = spawn(program, words, options);
    const said = /** @type {string[]} */ ([]);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => said.push(text));
    child.stdin.on('error', () => undefined).end(input);
    child.once('error', reject);
    child.once('close', (code) => {
      const text = said.join('');
      if (code === 0) resolve(text);
      else reject(new Error(`${name} failed: ${text.trim().split('\n').slice(-3).join(' / ')}`));
    });
  });
}

/** @param {string} state @returns {number[]} the processes of the stack */
export function processesOf(state) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = new Set(pids.filter((pid) => hasMark(pid, state)));
  // A title may be written over all of the environment: such a process is known by its parent.
  for (let before = -1; before < own.size; ) {
    before = own.size;
    for (const pid of pids) if (own.has(parentOf(pid))) own.add(pid);
  }
  return [...own].map(Number);
}

/** @param {string} pid */
function parentOf(pid) {
  try {
    return /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** @param {string} pid @param {string} state */
function hasMark(pid, state) {
  try {
    const isZombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (isZombie) return false;
    // Programs that give themselves a title write it over their environment: they are known by where they are.
    const isProgram = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${path.dirname(state)}/python-`);
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return isProgram || variables.includes(`${MARK}=${state}`);
  } catch {
    return false;
  }
}

/** Ends all of them, those that do not end by themselves too.
 *  @param {string} state */
export async function endProcesses(state) {
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
    for (const pid of processesOf(state)) kill(pid, signal);
    const deadline = Date.now() + END_PATIENCE_MS;
    while (processesOf(state).length > 0 && Date.now() < deadline) await pause(LOOK_EVERY_MS);
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * @param {string} what is waited for, for the error
 * @param {() => Promise<unknown>} attempt succeeds once it is there
 */
export async function until(what, attempt) {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${what} did not come: ${error}`, { cause: error });
      await pause(LOOK_EVERY_MS);
    }
  }
}
