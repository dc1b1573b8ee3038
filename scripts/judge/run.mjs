// @ts-check
import { spawn } from 'node:child_process';

const PATIENCE_MS = 15 * 60_000;
const LONGEST = 4 * 1024 * 1024;

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, input?: string, patienceMs?: number }} [options]
 * @returns {Promise<string>} its standard output
 * @throws {Error} with the last of what it said, when it fails or takes too long
 */
export function run(program, words, { cwd, env, input = '', patienceMs = PATIENCE_MS } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, timeout: patienceMs, killSignal: 'SIGKILL' });
    let [out, all] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      out = (out + text).slice(-LONGEST);
      all = (all + text).slice(-LONGEST);
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      all = (all + text).slice(-LONGEST);
    });
    child.stdin.on('error', () => undefined).end(input);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(out);
      if (process.env.JUDGE_LOG) console.error(all);
      reject(new Error(`${program.split('/').at(-1)} ended with ${signal ?? code}: ${lastWords(all)}`));
    });
  });
}

/** @param {string} text */
function lastWords(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.findLast((line) => /error|exception|assert/i.test(line)) ??
    lines.at(-1) ??
    'it said nothing'
  ).trim();
}
