import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  holderOf,
  lockFolder,
  newTemporaryDataDir,
  processIdentity,
  resolveDataDir,
  shareFolder,
  sharersOf,
  temporaryDataDirs,
} from './instance.mjs';
import { lockDataDir, shareDataDir } from './lock.ts';
import { purgeDataDir } from './purge.mjs';
import { temporaryFolder } from './testing/folders.ts';
import { type Holder, installHolder, runHolder } from './testing/run-holder.ts';

const isRoot = process.getuid?.() === 0;

function writeLock(dataDir: string, number: number, content: object): void {
  mkdirSync(lockFolder(dataDir), { recursive: true });
  writeFileSync(path.join(lockFolder(dataDir), String(number)), JSON.stringify(content));
}

describe('the data directory', () => {
  test('is VIRGA_DATA_DIR, or .virga in the working directory', () => {
    expect(resolveDataDir({}, '/here')).toBe('/here/.virga');
    expect(resolveDataDir({ VIRGA_DATA_DIR: '' }, '/here')).toBe('/here/.virga');
    expect(resolveDataDir({ VIRGA_DATA_DIR: 'there' }, '/here')).toBe('/here/there');
    expect(resolveDataDir({ VIRGA_DATA_DIR: '/data' }, '/here')).toBe('/data');
  });

  test('that is a file is refused in one line', () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => lockDataDir(file)).toThrow(`The data directory ${file} is not a directory`);
    expect(() => lockDataDir(path.join(file, 'below'))).toThrow('is not a directory');
  });
});

describe('a temporary data directory', () => {
  test.each([
    ['for itself', (dataDir: string) => dataDir],
    ['with others', (dataDir: string) => shareFolder(dataDir, 1)],
  ])('of a server that is only about to lock it, %s, is not taken for an abandoned one', (_, lockedOf) => {
    vi.stubEnv('TMPDIR', temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const dataDir = newTemporaryDataDir();
    const locked = lockedOf(dataDir);
    const abandoned = () => temporaryDataDirs({ abandoned: true });
    expect(abandoned()).toEqual([]);
    mkdirSync(lockFolder(locked), { recursive: true });
    expect(abandoned()).toEqual([]);
    writeLock(locked, 1, { pid: process.pid, identity: processIdentity(process.pid) });
    expect([abandoned(), temporaryDataDirs({ abandoned: false })]).toEqual([[], [dataDir]]);
    writeLock(locked, 1, { pid: 2 ** 22 + 1, identity: 'boot:1' });
    expect(abandoned()).toEqual([dataDir]);
  });
});

test('an abandoned data directory that two find at once is removed, and neither fails', async () => {
  const dataDir = path.join(temporaryFolder(), 'abandoned');
  writeLock(dataDir, 1, { pid: 2 ** 22 + 1, identity: 'boot:1' });
  const purged = await Promise.all([purgeDataDir(dataDir), purgeDataDir(dataDir)]);
  expect(purged.map(({ ok }) => ok)).toEqual([true, true]);
  expect(existsSync(dataDir)).toBe(false);
});

describe('the lock', () => {
  test('is refused while held, naming the pid and the address, and free after the release', () => {
    const dataDir = temporaryFolder();
    const lock = lockDataDir(dataDir);
    lock.announce('http://127.0.0.1:8080');
    expect(holderOf(dataDir)).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:8080' });
    expect(() => lockDataDir(dataDir)).toThrow(
      `Virga already runs on ${dataDir} (pid ${process.pid}, http://127.0.0.1:8080)`,
    );
    lock.release();
    lock.release();
    expect(holderOf(dataDir)).toBeUndefined();
    lockDataDir(dataDir).release();
    expect(readdirSync(lockFolder(dataDir))).toHaveLength(1);
  });

  test('of a process that is gone is taken over', () => {
    const dataDir = temporaryFolder();
    writeLock(dataDir, 4, { pid: 2 ** 22 + 1, identity: 'boot:1' });
    lockDataDir(dataDir).release();
    expect(readdirSync(lockFolder(dataDir))).toEqual(['5']);
  });

  test.runIf(process.platform === 'linux')('is stale when its pid now belongs to another process', () => {
    const dataDir = temporaryFolder();
    writeLock(dataDir, 1, { pid: process.ppid, identity: 'an-earlier-boot:1' });
    expect(processIdentity(process.ppid)).toBeDefined();
    expect(holderOf(dataDir)).toBeUndefined();
    lockDataDir(dataDir).release();
  });

  test('that cannot be read as one is taken over', () => {
    const dataDir = temporaryFolder();
    mkdirSync(lockFolder(dataDir));
    writeFileSync(path.join(lockFolder(dataDir), '7'), '{"pid":');
    lockDataDir(dataDir).release();
    expect(readdirSync(lockFolder(dataDir))).toEqual(['8']);
  });
});

describe('a shared data directory', () => {
  test('allows any number of processes that share it, and none that wants it for itself', () => {
    const dataDir = temporaryFolder();
    const [first, second] = [shareDataDir(dataDir), shareDataDir(dataDir)];
    first.announce('http://127.0.0.1:8080');
    expect(sharersOf(dataDir).map(({ url }) => url)).toEqual(['http://127.0.0.1:8080', undefined]);
    expect(() => lockDataDir(dataDir)).toThrow(`Virga already runs on ${dataDir} (pid ${process.pid}`);
    first.release();
    expect(() => lockDataDir(dataDir)).toThrow('already runs');
    second.release();
    const alone = lockDataDir(dataDir);
    expect(() => shareDataDir(dataDir)).toThrow(`Virga already runs on ${dataDir} (pid ${process.pid}`);
    expect(sharersOf(dataDir)).toEqual([]);
    alone.release();
    shareDataDir(dataDir).release();
  });
});

describe('several processes', () => {
  function start(program: string, dataDir: string): Holder {
    const holder = runHolder(program, dataDir, { lockOnly: true });
    onTestFinished(() => holder.end('SIGKILL'));
    return holder;
  }

  test('racing for one directory, new or left by a killed holder: exactly one wins', async () => {
    const program = installHolder(temporaryFolder(), 'linked');
    const dataDir = path.join(temporaryFolder(), 'data');
    for (let round = 0; round < 3; round++) {
      const holders = Array.from({ length: 6 }, () => start(program, dataDir));
      const outcomes = await Promise.all(
        holders.map((holder) => Promise.any([holder.saw('up'), holder.saw('refused')])),
      );
      const winner = holders[outcomes.findIndex((outcome) => outcome.event === 'up')];
      expect(outcomes.filter((outcome) => outcome.event === 'up')).toHaveLength(1);
      for (const outcome of outcomes.filter(({ event }) => event === 'refused')) {
        expect(outcome.message).toContain(`(pid ${winner?.child.pid})`);
      }
      expect(holderOf(dataDir)?.pid).toBe(winner?.child.pid);
      await winner?.end('SIGKILL');
      expect(holderOf(dataDir)).toBeUndefined();
    }
  });

  test.runIf(isRoot)("an ordinary user gets one line for another user's directory", async () => {
    const program = installHolder(temporaryFolder(), 'linked');
    const nobody = { uid: 65534, gid: 65534 };
    const roots = path.join(temporaryFolder(0o711), 'data');
    lockDataDir(roots).release();
    const closed = path.join(temporaryFolder(0o700), 'data');
    for (const [dataDir, expected] of [
      [roots, 'belongs to another user (uid 0)'],
      [closed, 'cannot be created (EACCES)'],
    ] as const) {
      const holder = runHolder(program, dataDir, { lockOnly: true, as: nobody });
      const { message } = await holder.saw('refused');
      expect(message).toContain(expected);
      expect(message).toContain(dataDir);
      expect(message).not.toContain('\n');
    }
  });
});
