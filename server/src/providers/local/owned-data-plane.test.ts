import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Leftover } from '../../kernel/leftover.ts';
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

function regionOf(
  dataDir: string,
  engines: readonly Partial<Engine>[] = ENGINES.map((folder) => ({ folder })),
  addresses: Partial<LocalAddresses> = {},
) {
  const fence = new OwnerFence(folderIn(dataDir));
  const region = createOwnedDataPlane({
    addresses: addresses as LocalAddresses,
    engines: engines as readonly Engine[],
    fence,
    fault: async () => null,
    folderIn,
  });
  return { ...region, fence };
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

test('what is looked at while a region is stopped is not started again', async () => {
  const ended: string[] = [];
  const engine = {
    kept: () => [],
    release: async (programs: string) => {
      if (programs === 'stop')
        await region.fence.hold(async () => ended.push('started')).catch(() => undefined);
      ended.push(programs);
    },
  };
  const region = regionOf(newDataDir(), [engine], { reread: () => undefined });
  await region.takeOver(1, null);
  await region.release('stop');
  expect(ended).toEqual(['stop', 'leave']);
});

test('one engine that cannot be stopped keeps no other one running, and is told', async () => {
  const ended: string[] = [];
  const release = (name: string, fails: boolean) => async (programs: string) => {
    if (programs === 'stop' && fails) throw new Error(`${name} hangs`);
    ended.push(`${name} ${programs}`);
  };
  const engines = [{ release: release('one', true) }, { release: release('two', false) }];
  const region = regionOf(newDataDir(), engines, { reread: () => undefined });
  await region.takeOver(1, null);
  await expect(region.release('stop')).rejects.toThrow('one hangs');
  expect(ended).toEqual(['two stop', 'one leave', 'two leave']);
});

test('what was deleted goes, and the addresses of a region that another machine serves', async () => {
  const one: Leftover = { kind: 'postgresql_cluster', id: 'one', creator: null };
  const other: Leftover = { kind: 'load_balancer', id: 'one', creator: null };
  const cleared: string[] = [];
  const engineOf = (leftover: Leftover) => ({
    kept: () => [leftover],
    release: async () => undefined,
    clear: async (id: string) => void cleared.push(`${leftover.kind} ${id}`),
  });
  const addresses = {
    reread: () => undefined,
    hasExternal: () => true,
    leaveExternal: async () => void cleared.push('addresses'),
  };
  const region = regionOf(newDataDir(), [engineOf(other), engineOf(one)], addresses);
  await region.takeOver(4, null);
  expect(await region.clear([one], 5)).toEqual([]);
  expect(await region.clear([one], null)).toEqual([one]);
  expect(cleared.splice(0)).toEqual(['postgresql_cluster one']);
  await region.release('stop');
  expect(await region.clear([one], 3)).toEqual([]);
  expect(await region.clear([one], 5)).toEqual([one]);
  expect(cleared).toEqual(['postgresql_cluster one', 'addresses']);
});
