import { spawn } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  accountOf,
  CLAIMS_FOLDER,
  claimedAccounts,
  parseAccountRange,
  removeHome,
  removeVoidClaims,
  separate,
  useAccounts,
} from './engine-accounts.ts';

const isRoot = process.getuid?.() === 0;
const RANGE = { first: 91_000, last: 91_003 };

test.each([
  ['70000-99999', { first: 70_000, last: 99_999 }],
  ['70000', undefined],
  ['0-10', undefined],
  ['999-2000', undefined],
  ['2000-1000', undefined],
  ['70000-99999999999', undefined],
  ['70000 - 99999', undefined],
])('the range %j is %j', (text, range) => {
  expect(parseAccountRange(text)).toEqual(range);
});

// Whoever is not root has no accounts to give.
describe.runIf(isRoot)('accounts of engines', () => {
  let root: string;
  const home = (name: string) => path.join(root, name);
  const uidOf = (name: string) => accountOf(home(name))?.uid ?? 0;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'virga-accounts-'));
    useAccounts({ range: RANGE, folder: path.join(root, 'claims') });
  });
  afterEach(() => {
    useAccounts({ folder: CLAIMS_FOLDER });
    rmSync(root, { recursive: true });
  });

  test('each home has one of its own, which stays', () => {
    const uids = ['a', 'b', 'c', 'd'].map(uidOf);
    expect(new Set(uids).size).toBe(4);
    expect(uids.every((uid) => uid >= RANGE.first && uid <= RANGE.last)).toBe(true);
    expect(['a', 'b', 'c', 'd'].map(uidOf)).toEqual(uids);
  });

  test('a range that is used up is said, with what to set', () => {
    for (const name of ['a', 'b', 'c', 'd']) uidOf(name);
    expect(() => uidOf('e')).toThrow(
      'All accounts from 91000 to 91003 are in use: set VIRGA_ENGINE_ACCOUNTS to a larger range',
    );
  });

  test('the account of a home that is removed can be given again, and a home that is gone keeps none', async () => {
    for (const name of ['a', 'b', 'c', 'd']) uidOf(name);
    const freed = uidOf('b');
    await removeHome(home('b'));
    expect(uidOf('e')).toBe(freed);
    rmSync(home('c'), { recursive: true });
    removeVoidClaims();
    expect([...claimedAccounts().values()].sort()).toEqual([home('a'), home('d'), home('e')]);
  });

  test('a number with which a program runs is given to nobody', async () => {
    const uid = uidOf('a');
    const child = spawn('sleep', ['600'], { uid, gid: uid, cwd: '/', stdio: 'ignore' });
    await removeHome(home('a'));
    expect(['b', 'c', 'd'].map(uidOf)).not.toContain(uid);
    expect(() => uidOf('e')).toThrow('All accounts');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(uidOf('e')).toBe(uid);
  });

  test('a home that is moved keeps its account; a copy of one gets another, with its files', () => {
    const uid = uidOf('a');
    writeFileSync(home('a/file'), '');
    chownSync(home('a/file'), uid, uid);
    mkdirSync(home('moved'));
    renameSync(home('a'), home('moved/a'));
    expect(uidOf('moved/a')).toBe(uid);
    mkdirSync(home('copied'));
    cpSync(home('moved/a'), home('copied/a'), { recursive: true });
    chownSync(home('copied/a/file'), uid, uid);
    const other = uidOf('copied/a');
    expect(other).not.toBe(uid);
    expect(statSync(home('copied/a/file')).uid).toBe(other);
    expect(statSync(home('moved/a/file')).uid).toBe(uid);
  });

  test('a home of an earlier version is given an account when nothing runs there any more', async () => {
    mkdirSync(home('old/data'), { recursive: true });
    writeFileSync(home('old/data/file'), '');
    for (const name of ['old/data', 'old/data/file']) chownSync(home(name), 65_534, 65_534);
    writeFileSync(home('old/conf'), '');
    chownSync(home('old/conf'), 0, 65_534);
    // It has no child, which would be seen for a moment after it.
    const child = spawn('sh', ['-c', 'read line', home('old/conf')], {
      uid: 65_534,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    expect(uidOf('old')).toBe(65_534);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    const uid = uidOf('old');
    expect(uid).toBeGreaterThanOrEqual(RANGE.first);
    const { uid: root, gid } = statSync(home('old/conf'));
    expect([statSync(home('old/data/file')).uid, statSync(home('old/data')).gid, root, gid]).toEqual([
      uid,
      uid,
      0,
      uid,
    ]);
  });

  test('a home can be separated at once', () => {
    mkdirSync(home('old'));
    writeFileSync(home('old/log'), '');
    chownSync(home('old/log'), 65_534, 65_534);
    separate(home('old'));
    expect(statSync(home('old/log')).uid).toBe(uidOf('old'));
    expect(existsSync(home('old/account'))).toBe(true);
  });
});
