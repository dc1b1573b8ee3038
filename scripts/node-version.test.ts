import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bundleServer } from './lib/bundle.mjs';
import { nodeVersionProblem } from './lib/node-version.mjs';
import { ROOT } from './lib/root.mjs';

const ONE_LINE = /^Virga needs Node [\d.]+ or newer, and this is Node 18\.19\.0: [^\n]+\n$/;

function onOldNode(script: string) {
  const pretend = "Object.defineProperty(process.versions, 'node', { value: '18.19.0' })";
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return spawnSync(process.execPath, ['--import', preload, script], { encoding: 'utf8' });
}

test.each([
  ['18.19.0', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['22.1.0', true],
  ['100.0.0', true],
])('Node %s is new enough: %s', (version, enough) => {
  expect(nodeVersionProblem(version) === undefined).toBe(enough);
});

test('the oldest version is the one that package.json declares', () => {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const oldest = engines.node.replace('>=', '');
  expect(nodeVersionProblem(`${oldest}.0`)).toBeUndefined();
  expect(nodeVersionProblem('1.0.0')).toContain(`needs Node ${oldest} or newer, and this is Node 1.0.0`);
});

test.each(['start', 'stop', 'test'])(
  'npm %s says so in one line on an old Node, before anything else',
  (name) => {
    const result = onOldNode(path.join(ROOT, 'scripts', `${name}.mjs`));
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toMatch(ONE_LINE);
  },
);

test('what production starts says so in one line on an old Node', async () => {
  await bundleServer(ROOT);
  const result = onOldNode(path.join(ROOT, 'server', 'dist', 'main.js'));
  expect(result).toMatchObject({ status: 1, stdout: '' });
  expect(result.stderr).toMatch(ONE_LINE);
  // An old Node may not even be able to load what the program imports.
  expect(readFileSync(path.join(ROOT, 'server', 'dist', 'main.js'), 'utf8')).not.toMatch(/^\s*import\s[^(]/m);
});
