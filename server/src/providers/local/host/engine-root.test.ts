import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { engineRoot, removeAbandonedRoots } from './engine-root.ts';

/** Only root has to keep files of engines outside of a data directory that nobody else may enter. */
const asRoot = describe.runIf(process.getuid?.() === 0);

asRoot('files of engines in a data directory that only root may enter (as root)', () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  /** A region's folder in a data directory. */
  const regionOf = (dataDir: string) => path.join(dataDir, 'regions', '1');

  function newDataDir(id: string): string {
    const parent = mkdtempSync(path.join(tmpdir(), 'virga-engines-'));
    made.push(parent);
    const dataDir = path.join(parent, 'data');
    mkdirSync(regionOf(dataDir), { recursive: true });
    writeFileSync(path.join(dataDir, 'id'), `${id}\n`);
    return dataDir;
  }

  const rootOf = (dataDir: string, kind: string): string => {
    const root = engineRoot(path.join(regionOf(dataDir), kind));
    made.push(root);
    return root;
  };

  test('are found again when it has been moved', () => {
    const before = newDataDir('0123456789abcdef');
    const root = rootOf(before, 'postgresql');
    writeFileSync(path.join(root, 'data'), 'of a database');
    const after = path.join(path.dirname(before), 'elsewhere');
    renameSync(before, after);
    removeAbandonedRoots();
    const found = rootOf(after, 'postgresql');
    expect(readFileSync(path.join(found, 'data'), 'utf8')).toBe('of a database');
    expect(existsSync(root)).toBe(false);
    expect(rootOf(after, 'postgresql')).toBe(found);
  });

  test('are not those of a copy, nor of another one', () => {
    const dataDir = newDataDir('0123456789abcdef');
    const root = rootOf(dataDir, 'postgresql');
    writeFileSync(path.join(root, 'data'), 'of a database');
    const copy = newDataDir('0123456789abcdef');
    expect(existsSync(path.join(rootOf(copy, 'postgresql'), 'data'))).toBe(false);
    rmSync(dataDir, { recursive: true });
    const other = newDataDir('fedcba9876543210');
    expect(existsSync(path.join(rootOf(other, 'postgresql'), 'data'))).toBe(false);
  });

  test('of databases and storages stay when it is gone, those of load balancers do not', () => {
    const dataDir = newDataDir('0123456789abcdef');
    const roots = ['postgresql', 'object-storage', 'load-balancers'].map((kind) => rootOf(dataDir, kind));
    rmSync(dataDir, { recursive: true });
    removeAbandonedRoots();
    expect(roots.map((root) => existsSync(root))).toEqual([true, true, false]);
  });
});
