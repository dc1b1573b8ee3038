import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandonedFolders } from '../../../kernel/short-folders.mjs';
import * as storages from '../object-storage/place.ts';
import * as clusters from './place.ts';

test('sockets that do not fit into a deep data directory are elsewhere, and go when the directory is gone', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'virga-deep-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const root = path.join(parent, 'a-long-name'.repeat(8));
  const cluster = clusters.placeOf(root, 'shop', 'b');
  const storage = storages.placeOf(root, '7');
  clusters.makePlace(cluster);
  storages.makePlace(storage);
  const sockets = [cluster.sockets, storage.sockets];
  expect(sockets.map((folder) => path.dirname(folder))).toEqual([tmpdir(), tmpdir()]);
  removeAbandonedFolders();
  expect(sockets.map((folder) => existsSync(folder))).toEqual([true, true]);
  rmSync(root, { recursive: true });
  removeAbandonedFolders();
  expect(sockets.map((folder) => existsSync(folder))).toEqual([false, false]);
});
