import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandoned } from './lib/portal.mjs';

const run = promisify(execFile);

/** Makes a folder of many files again and again, and swaps it in each time. */
const SWAPS = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  const { swapIn } = await import(process.argv[1]);
  const folder = process.argv[2];
  for (let round = 0; round < 40; round += 1) {
    const draft = folder + '.' + process.pid;
    mkdirSync(draft, { recursive: true });
    for (let file = 0; file < 40; file += 1) writeFileSync(draft + '/' + file, '');
    swapIn(draft, folder);
  }
`;

test('several starts that build the portal at once leave a whole one', async () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'virga-portal-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = path.join(parent, 'dist');
  mkdirSync(folder, { recursive: true });
  const library = path.join(import.meta.dirname, 'lib', 'portal.mjs');
  const swap = () => run(process.execPath, ['--input-type=module', '-e', SWAPS, library, folder]);
  await Promise.all([swap(), swap(), swap(), swap()]);
  expect(readdirSync(folder)).toHaveLength(40);
}, 120_000);

test('what a killed build left is removed, and nothing of a build that runs', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'virga-portal-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const kept = ['dist', `dist.${process.pid}`, 'dist.config', `other.${dead}`];
  for (const name of [...kept, `dist.${dead}`, `dist.${dead}.old`])
    mkdirSync(path.join(parent, name, 'assets'), { recursive: true });
  removeAbandoned(path.join(parent, 'dist'));
  expect(readdirSync(parent).sort()).toEqual(kept.sort());
});

test('npm run build makes all that npm start would make', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8'));
  expect(scripts.build).toContain('bundle.mjs server edge');
  expect(scripts.build).toContain('portal.mjs');
});
