// @ts-check
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installTestEngines } from '../lib/engines.mjs';
import { findProgram } from '../lib/system-packages.mjs';
import { run } from './run.mjs';
import { startServer } from './server.mjs';
import { TOOLS } from './tools.mjs';

/** @typedef {import('./tool.d.ts').Tool} Tool */

const RESULTS = 'docs/compatibility.judged.md';
const HEAD = ['| tool | version | what it did | result |', '|---|---|---|---|'];
const WORKED = 'works';

/**
 * @param {string} root
 * @param {string[]} names of tools; none: all
 * @returns {Promise<number>} exit code
 */
export async function judge(root, names) {
  const unknown = names.filter((name) => !TOOLS.some((tool) => tool.name === name));
  if (unknown.length > 0) {
    console.error(
      `No such tool: ${unknown.join(', ')}. There are ${TOOLS.map(({ name }) => name).join(', ')}.`,
    );
    return 1;
  }
  const chosen = TOOLS.filter(({ name }) => names.length === 0 || names.includes(name));
  await installTestEngines(root, []);
  const server = await startServer(root);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.once(signal, () => void server.stop().finally(() => process.exit(1)));
  /** @type {Map<string, string>} */
  const results = new Map();
  try {
    for (const tool of chosen) results.set(tool.name, await judged(tool, server));
  } finally {
    await server.stop();
  }
  const table = tableOf(results, readFileSync(path.join(root, RESULTS), 'utf8'));
  writeFileSync(path.join(root, RESULTS), table);
  console.log(`\n${table}`);
  const written = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', 'test/golden/compatibility'],
    {
      cwd: root,
      env: { ...process.env, UPDATE_GOLDEN: '1' },
      stdio: 'ignore',
    },
  );
  if (written.status !== 0) console.error('docs/compatibility.md could not be written: npm run generate');
  return [...results.values()].some((result) => result.startsWith('fails')) ? 1 : 0;
}

/**
 * @param {Tool} tool
 * @param {import('./tool.d.ts').Server} server
 * @returns {Promise<string>} what came of it, in words
 */
async function judged(tool, server) {
  const say = (/** @type {string} */ words) => {
    console.log(`${tool.name}: ${words}`);
    return words;
  };
  const missing = (tool.needs ?? []).filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) return say(`not run: ${missing.join(' and ')} is not installed`);
  const cache = path.join(
    process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'),
    'virga-judge',
    `${tool.name}-${tool.version}`.replace(/[^\w.-]+/g, '-'),
  );
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(os.tmpdir(), 'virga-judge-'));
  const env = { ...process.env, API_URL: server.url, API_TOKEN: server.token };
  try {
    const said = await tool.run({
      server,
      cache,
      work,
      env,
      run: (program, words, options = {}) => run(program, words, { cwd: work, env, ...options }),
    });
    return say(said ?? WORKED);
  } catch (error) {
    return say(`fails: ${error instanceof Error ? error.message : error}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Rows of tools that were not run this time stay as they are.
 * @param {ReadonlyMap<string, string>} results
 * @param {string} before
 */
export function tableOf(results, before) {
  const old = before.split('\n');
  const rows = TOOLS.flatMap(({ name, version, does }) => {
    const result = results.get(name);
    if (result === undefined) return old.filter((line) => line.startsWith(`| ${name} |`));
    const cell = (result.split('\n')[0] ?? '').replaceAll('|', '\\|').slice(0, 200);
    return [`| ${name} | ${version} | ${does} | ${cell} |`];
  });
  return `${[...HEAD, ...rows].join('\n')}\n`;
}
