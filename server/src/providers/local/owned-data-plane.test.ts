import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalAddresses } from './addresses/provider.ts';
import type { Engine } from './host/engine.ts';
import { engineRoot } from './host/engine-root.ts';
import { OwnerFence } from './host/owner-fence.ts';
import { createOwnedDataPlane } from './owned-data-plane.ts';

const ENGINES = ['load-balancers', 'postgresql'];
const folderIn = (dataDir: string) => join(dataDir, 'regions', '1');

function newDataDir(): string {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'virga-programs-')));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

function regionOf(dataDir: string) {
  const fence = new OwnerFence(folderIn(dataDir));
  const addresses = {} as LocalAddresses;
  const engines = ENGINES.map((name) => ({ folder: name }) as Engine);
  return createOwnedDataPlane({ addresses, engines, fence, fault: async () => null, folderIn });
}

/** A program with these words, which ends with the test. */
function program(...words: readonly string[]): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', ...words], {
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

test.each(ENGINES)('%s is one of the programs of a region', (name) => {
  const dataDir = newDataDir();
  const root = engineRoot(join(folderIn(dataDir), name));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const pid = program('-D', join(root, 'one', 'data'));
  program(join(root, 'one', 'server.log'));
  expect(regionOf(dataDir).programsOf(dataDir)).toEqual([pid]);
  expect(regionOf(dataDir).programsOf(newDataDir())).toEqual([]);
});

test('a data directory that is gone stays gone when somebody asks what runs there', () => {
  const [dataDir, gone] = [newDataDir(), newDataDir()];
  rmSync(gone, { recursive: true });
  expect(regionOf(dataDir).programsOf(gone)).toEqual([]);
  expect(existsSync(gone)).toBe(false);
});
