import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../edge/src/testing/processes.ts';
import { findProgram } from '../../scripts/lib/system-packages.mjs';
import { blocksOf, runScript } from '../harness/documents.ts';
import { installedKubernetes } from '../harness/kubernetes-lab.ts';
import { API_KEY, newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';

/** docs/recipes as they stand: every block is run, in one shell for each recipe, and prints what is written below it. */

const FOLDER = 'docs/recipes';
const ROOT = path.join(import.meta.dirname, '..', '..');
const recipes = readdirSync(path.join(ROOT, FOLDER)).filter((name) => name !== 'README.md');

/** Why a recipe cannot be run on this machine. */
const faults = new Map<string, string>();
const kubernetes = await installedKubernetes(['containerd', 'coredns']);
const missing = kubernetes.fault ?? (findProgram('kubectl') === null ? 'kubectl is missing' : undefined);
if (missing !== undefined) faults.set('kubernetes.md', missing);

let dataDir: string;
let virga: VirgaProcess;

beforeAll(async () => {
  dataDir = newDataDir();
  const edge = { VIRGA_EDGE: 'on', VIRGA_EDGE_PORT: String(await freePort()) };
  virga = await startVirga({ dataDir, env: edge });
});

afterAll(async () => {
  await virga?.end('SIGINT');
  removeDataDir(dataDir);
});

test('there are recipes, and the list names them all', () => {
  expect(recipes.length).toBeGreaterThan(5);
  const list = readFileSync(path.join(ROOT, FOLDER, 'README.md'), 'utf8');
  for (const recipe of recipes) expect(list).toContain(`](${recipe})`);
});

test.skip.each([...faults])('%s: %s', () => undefined);

test.each(recipes.filter((recipe) => !faults.has(recipe)))('%s', async (recipe) => {
  const file = path.posix.join(FOLDER, recipe);
  const script = ['set -euo pipefail', ...blocksOf(`${FOLDER}/README.md`, 'sh'), ...blocksOf(file, 'sh')];
  const ran = await runScript(script.join('\n'), {
    VIRGA_URL: virga.url,
    API_TOKEN: API_KEY,
    VIRGA_DATA_DIR: dataDir,
    VIRGA_CREDENTIALS: path.join(dataDir, 'credentials'),
  });
  expect(ran.errors).toBe('');
  expect(ran).toMatchObject({ code: 0, output: blocksOf(file, 'text').join('') });
});
