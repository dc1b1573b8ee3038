import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installCommand, withoutServices } from './lib/apt.mjs';
import { ROOT } from './lib/root.mjs';
import {
  findProgram,
  missingSystemPackages,
  parseSystemPackages,
  readSystemPackages,
} from './lib/system-packages.mjs';

function folderWith(program: string, mode: number): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, program), '');
  chmodSync(path.join(folder, program), mode);
  return folder;
}

const entry = { package: 'p', program: 'no-such-program', neededBy: ['start'], why: 'because' };

test('the list in the checkout is complete, and load balancers need HAProxy at the start', () => {
  const list = readSystemPackages(ROOT);
  expect(list.find(({ package: name }) => name === 'haproxy')?.neededBy).toContain('start');
  expect(new Set(list.map(({ package: name }) => name)).size).toBe(list.length);
});

test('a file is found in any folder that fits its pattern', () => {
  const folder = path.join(folderWith('program', 0o644), '..');
  const name = path.basename(folderWith('program', 0o644));
  const lacking = (file: string) =>
    missingSystemPackages([{ package: 'p', file, neededBy: ['start'], why: 'because' }], 'start').length;
  expect(lacking(path.join(folder, `${name.slice(0, -2)}*`, 'program'))).toBe(0);
  expect(lacking(path.join(folder, `${name.slice(0, -2)}*`, 'other'))).toBe(1);
  expect(lacking(path.join(folder, 'no-such-*', 'program'))).toBe(1);
  expect(lacking('/no/such/folder-*/program')).toBe(1);
});

test.each([
  { package: 'p' },
  { ...entry, program: undefined },
  { ...entry, neededBy: [] },
  { ...entry, why: undefined },
])('an incomplete entry is refused: %j', (wrong) => {
  expect(() => parseSystemPackages(JSON.stringify([wrong]))).toThrow(
    'system-packages.json: incomplete entry',
  );
});

test('a package is missing for the commands that need it, until its program or file is there', () => {
  expect(missingSystemPackages([entry], 'start', '')).toEqual([entry]);
  expect(missingSystemPackages([entry], 'test', '')).toEqual([]);
  expect(missingSystemPackages([entry], 'start', folderWith('no-such-program', 0o755))).toEqual([]);
  expect(missingSystemPackages([entry], 'start', folderWith('no-such-program', 0o644))).toEqual([entry]);
  expect(missingSystemPackages([{ ...entry, file: ROOT }], 'start', '')).toEqual([]);
});

test('a program is found in the folders of daemons too, which an ordinary PATH leaves out', () => {
  const folder = folderWith('thing', 0o755);
  expect(findProgram('thing', `/nowhere:${folder}`)).toBe(path.join(folder, 'thing'));
  expect(findProgram('thing', '')).toBeUndefined();
});

test('the command to type is whole: update first, sudo only for those who need it, no apt elsewhere', () => {
  const missing = [entry, { ...entry, package: 'q' }];
  expect(installCommand(missing, { apt: true, root: true })).toBe(
    'apt-get update && apt-get install -y --no-install-recommends p q',
  );
  expect(installCommand(missing, { apt: true, root: false })).toBe(
    'sudo apt-get update && sudo apt-get install -y --no-install-recommends p q',
  );
  expect(installCommand(missing, { apt: false, root: false })).toBe(
    "install p q with this system's package manager",
  );
});

test('no service is started while installing, and the policy that says so is gone afterwards', () => {
  const policy = path.join(folderWith('thing', 0o644), 'policy-rc.d');
  const seen = withoutServices(() => {
    expect(readFileSync(policy, 'utf8')).toMatch(/^#!\/bin\/sh\n.*\nexit 101\n$/);
    return (statSync(policy).mode & 0o100) !== 0;
  }, policy);
  expect(seen).toBe(true);
  expect(existsSync(policy)).toBe(false);
  const interrupted = () => {
    throw new Error('interrupted');
  };
  expect(() => withoutServices(interrupted, policy)).toThrow('interrupted');
  expect(existsSync(policy)).toBe(false);
});

test("what a killed installation left is cleared away, an administrator's own policy never", () => {
  const policy = path.join(folderWith('thing', 0o644), 'policy-rc.d');
  let ours = '';
  withoutServices(() => {
    ours = readFileSync(policy, 'utf8');
    return true;
  }, policy);
  writeFileSync(policy, ours);
  withoutServices(() => true, policy);
  expect(existsSync(policy)).toBe(false);
  writeFileSync(policy, '#!/bin/sh\nexit 0\n');
  withoutServices(() => true, policy);
  expect(readFileSync(policy, 'utf8')).toBe('#!/bin/sh\nexit 0\n');
});
