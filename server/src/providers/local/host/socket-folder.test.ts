import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandonedFolders } from '../../../kernel/short-folders.mjs';
import { makeSocketFolder, socketFolderIn } from './socket-folder.ts';

test('sockets that do not fit into a deep data directory are elsewhere, and go when the directory is gone', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'virga-deep-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const root = path.join(parent, 'a-long-name'.repeat(8));
  const home = path.join(root, 'shop');
  mkdirSync(home, { recursive: true });
  const folder = socketFolderIn(home, 's3', 'admin.sock');
  makeSocketFolder(folder, home);
  expect(path.dirname(folder)).toBe(tmpdir());
  removeAbandonedFolders();
  expect(existsSync(folder)).toBe(true);
  rmSync(root, { recursive: true });
  removeAbandonedFolders();
  expect(existsSync(folder)).toBe(false);
  expect(socketFolderIn(parent, 's3', 'admin.sock')).toBe(path.join(parent, 'run'));
});
