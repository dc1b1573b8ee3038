import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountOf, removeHome, resettle } from '../../../kernel/engine-accounts.ts';
import { settleCluster } from './cluster-backup.ts';
import { nodePathsOf, pathsOf } from './paths.ts';
import { ACCOUNTS_OF_NODE, firstAccountOf } from './words.ts';

/** A cluster that was copied to another folder, as a restore does. */

const ID = '0ee5b625-123d-4868-aaad-3c72635924e8';
const NODE = 'cad438fe-43ff-482a-a8ae-aed95cae32e3';
const isRoot = process.getuid?.() === 0;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'virga-kept-'));
});

afterEach(async () => {
  for (const root of ['old', 'new']) await removeHome(pathsOf(join(folder, root), ID).home);
  rmSync(folder, { recursive: true });
});

test('its programs are told the folders and the account that it has now', () => {
  const old = pathsOf(join(folder, 'old'), ID);
  const node = nodePathsOf(old, NODE);
  mkdirSync(node.folder, { recursive: true });
  mkdirSync(join(old.volumes, 'claim'), { recursive: true });
  writeFileSync(join(old.volumes, 'claim', 'data'), 'kept');
  const account = accountOf(old.home)?.uid ?? 0;
  const first = firstAccountOf(old.home);
  if (isRoot) chownSync(join(old.volumes, 'claim', 'data'), first + 999, first + 999);
  const note = (file: string, list: readonly string[]) =>
    writeFileSync(file, JSON.stringify({ version: 'v1.36.3', words: list.join('\n'), list }));
  const common = [`--authority=${old.home}`, `--network=${old.network}`, `--account=${account}`];
  note(old.notes, ['control-plane', `--dir=${old.data}`, `--socket=${old.socket}`, ...common, '--']);
  note(node.notes, [
    'machine',
    `--dir=${node.data}`,
    ...common,
    `--first-account=${first}`,
    `--volumes=${old.volumes}`,
    '--names=/nowhere/coredns',
    '--pods=10.0.0.0/16',
  ]);

  const root = join(folder, 'new');
  cpSync(join(folder, 'old'), root, { recursive: true });
  const now = pathsOf(root, ID);
  if (isRoot) chownSync(join(now.volumes, 'claim', 'data'), first + 999, first + 999);
  // A tenant may leave links: round in a circle, and to what others have.
  const others = join(folder, 'others');
  mkdirSync(others);
  writeFileSync(join(others, 'data'), '');
  if (isRoot) chownSync(join(others, 'data'), first + 999, first + 999);
  symlinkSync('.', join(now.volumes, 'claim', 'loop'));
  symlinkSync(others, join(now.volumes, 'claim', 'others'));
  resettle(now.home);
  settleCluster(root, ID);

  const listOf = (file: string) => JSON.parse(readFileSync(file, 'utf8')).list;
  const newAccount = accountOf(now.home)?.uid ?? 0;
  const moved = [`--authority=${now.home}`, `--network=${now.network}`, `--account=${newAccount}`];
  expect(listOf(now.notes)).toEqual([
    'control-plane',
    `--dir=${now.data}`,
    `--socket=${now.socket}`,
    ...moved,
    '--',
  ]);
  const newFirst = firstAccountOf(now.home);
  expect(listOf(nodePathsOf(now, NODE).notes)).toEqual([
    'machine',
    `--dir=${nodePathsOf(now, NODE).data}`,
    ...moved,
    `--first-account=${newFirst}`,
    `--volumes=${now.volumes}`,
    '--pods=10.0.0.0/16',
  ]);
  if (!isRoot) return;
  expect(newAccount).not.toBe(account);
  expect(Math.abs(newFirst - first) % ACCOUNTS_OF_NODE).toBe(0);
  expect(statSync(join(now.volumes, 'claim', 'data')).uid).toBe(newFirst + 999);
  expect(statSync(join(others, 'data')).uid).toBe(first + 999);
});
