import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  installCommand,
  isForThisMachine,
  type LockedPackage,
  linkWorkspaces,
  missingPackages,
} from './lib/node-modules.mjs';
import { ROOT } from './lib/root.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'virga-modules-'));
  const folder = root;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const here = { os: [process.platform], cpu: [process.arch] };
const elsewhere = { os: ['plan9'], cpu: [process.arch] };

function lock(packages: Record<string, LockedPackage>): void {
  writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
}

function install(packages: Record<string, LockedPackage>): void {
  for (const [folder, { version }] of Object.entries(packages)) {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify({ version }));
  }
}

const two = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } };

test('everything is missing before the first install, and nothing after it', () => {
  lock(two);
  expect(missingPackages(root)).toEqual(['node_modules/a', 'node_modules/b']);
  install(two);
  expect(missingPackages(root)).toEqual([]);
});

test('another version, a deleted folder and a new package are missing', () => {
  install(two);
  lock({ ...two, 'node_modules/b': { version: '2.0.1' }, 'node_modules/c': { version: '3.0.0' } });
  rmSync(path.join(root, 'node_modules/a'), { recursive: true });
  expect(missingPackages(root)).toEqual(['node_modules/a', 'node_modules/b', 'node_modules/c']);
});

test('a package that is being written is missing', () => {
  lock(two);
  install(two);
  writeFileSync(path.join(root, 'node_modules/b/package.json'), '{"version": "2.0');
  expect(missingPackages(root)).toEqual(['node_modules/b']);
});

const withDev = { ...two, 'node_modules/d': { version: '1.0.0', dev: true } };

test('what only development needs is missing for tests, and not for a start', () => {
  lock(withDev);
  install(two);
  expect(missingPackages(root)).toEqual([]);
  expect(missingPackages(root, true)).toEqual(['node_modules/d']);
});

test('a start installs what it needs, and takes nothing away that is there for development', () => {
  lock(withDev);
  expect(installCommand(root, false)).toEqual(['ci', '--omit=dev']);
  expect(installCommand(root, true)).toEqual(['ci', '--include=dev']);
  install({ 'node_modules/d': { version: '0.9.0' } });
  expect(installCommand(root, false)).toEqual(['ci', '--include=dev']);
});

test('for tests only what they need beside is added, so that a server that runs keeps its files', () => {
  lock(withDev);
  install(two);
  expect(installCommand(root, true)).toEqual(['install', '--no-save', '--include=dev']);
});

test('what bundles the server and builds the portal is no development package', () => {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const files = ['scripts/lib/bundle.mjs', 'scripts/lib/portal.mjs', 'portal/vite.config.ts'];
  const names = files.flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const imports = text.matchAll(/(?:from |import\(|resolve\()'((?!node:|\.)(?:@[^/']+\/)?[^/']+)/g);
    return [...imports].map(([, name]) => name);
  });
  expect([...new Set(names)].sort()).toEqual([
    '@iconify-json/tabler',
    '@vitejs/plugin-react',
    'esbuild',
    'vite',
  ]);
  expect(names.filter((name) => packages[`node_modules/${name}`]?.dev !== undefined)).toEqual([]);
});

test('optional packages count only for this machine; the own workspaces by their link', () => {
  lock({
    ...two,
    server: {},
    'node_modules/@virga/server': { link: true },
    'node_modules/for-here': { version: '1.0.0', optional: true, ...here },
    'node_modules/for-others': { version: '1.0.0', optional: true, ...elsewhere },
    'node_modules/nice-to-have': { version: '1.0.0', optional: true },
    'server/node_modules/nested': { version: '1.0.0' },
  });
  install(two);
  expect(missingPackages(root)).toEqual([
    'node_modules/@virga/server',
    'node_modules/for-here',
    'server/node_modules/nested',
  ]);
});

test('a new workspace is linked; nothing is installed for it', () => {
  lock({ ...two, signing: {}, 'node_modules/@virga/signing': { link: true, resolved: 'signing' } });
  install({ ...two, signing: { version: '0.1.0' } });
  expect(missingPackages(root)).toEqual(['node_modules/@virga/signing']);
  expect(linkWorkspaces(root)).toEqual(['node_modules/@virga/signing']);
  expect(linkWorkspaces(root)).toEqual([]);
});

test('a package for the other C library is not for this machine', () => {
  expect(isForThisMachine(here)).toBe(true);
  expect(isForThisMachine(elsewhere)).toBe(false);
  const both = ['glibc', 'musl'].map((libc) => isForThisMachine({ ...here, libc: [libc] }));
  expect(both.filter(Boolean)).toHaveLength(1);
});

test('this very checkout is complete, so that a start touches no network', () => {
  expect(missingPackages(ROOT, true)).toEqual([]);
});

test('every package of our lock file is known by what is in it, and by no address', () => {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const entries = Object.entries<{ link?: boolean; integrity?: string; resolved?: string }>(packages);
  const registered = entries.filter(([folder, { link }]) => folder.includes('node_modules/') && !link);
  expect(registered.length).toBeGreaterThan(100);
  expect(registered.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(registered.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('an install says how far it is, also while nothing comes, and no longer than whoever waits for it', async () => {
  lock(two);
  install({ 'node_modules/a': { version: '1.0.0' } });
  const program = path.join(ROOT, 'scripts/lib/install-progress.mjs');
  // The shell is whoever waits; it ends when its input does.
  const words = `"${process.execPath}" "${program}" "${root}" false $$ 20 & read line`;
  const shell = spawn('sh', ['-c', words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: shell.stdout });
  const next = async () => String((await once(lines, 'line'))[0]);
  expect(await next()).toMatch(/^npm has installed nothing yet after \d+ s\. Without a network it tries/);
  // npm removes first what is there.
  rmSync(path.join(root, 'node_modules'), { recursive: true });
  await next();
  await next();
  install({ 'node_modules/b': { version: '2.0.0' } });
  let line = await next();
  while (line.includes('nothing')) line = await next();
  expect(line).toMatch(/^npm has installed 1 of 2 packages after \d+ s\.$/);
  const ended = once(lines, 'close');
  shell.stdin.end();
  await ended;
});
