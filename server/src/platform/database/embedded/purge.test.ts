import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noteOrigin } from '../../../kernel/short-folders.mjs';
import { isRunning, lockFolder, processIdentity } from './instance.mjs';
import { purgeDataDir } from './purge.mjs';
import { temporaryFolder } from './testing/folders.ts';

test.runIf(process.platform === 'linux')(
  'a purge ends the programs of storages and poolers that a killed server left, and no others',
  async () => {
    const dataDir = abandonedDataDir();
    const programs = path.join(temporaryFolder(), 'bin');
    mkdirSync(programs);
    const run = (name: string, ...files: string[]) => {
      const program = path.join(programs, name);
      if (!existsSync(program)) symlinkSync(process.execPath, program);
      const words = ['-e', 'setInterval(() => {}, 1000)', ...files.map((file) => path.join(dataDir, file))];
      const child = spawn(program, words, { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      const pid = child.pid ?? 0;
      return { pid, identity: processIdentity(pid) ?? '' };
    };
    const ours = [
      run('node', 'regions/1/sftp-storage/storage-3/orders.json'),
      run('any-s3', 'regions/1/object-storage/storage-4/accounts', 'regions/1/object-storage/storage-4/data'),
      run('pgbouncer', 'regions/1/postgresql/shop/pooler/pgbouncer.ini'),
    ];
    const reader = run('tail', 'virga.log');
    expect(await purgeDataDir(dataDir)).toMatchObject({ ok: true });
    expect(ours.map(isRunning)).toEqual([false, false, false]);
    expect(isRunning(reader)).toBe(true);
    expect(existsSync(dataDir)).toBe(false);
  },
);

test('a purge removes the short folders that stood for folders of the data directory', async () => {
  const dataDir = abandonedDataDir();
  const folder = (name: string) => {
    const short = path.join(tmpdir(), `virga-${name}${randomBytes(8).toString('hex')}`);
    mkdirSync(short);
    onTestFinished(() => rmSync(short, { recursive: true, force: true }));
    return short;
  };
  const shorts = ['', 'pg-', 's3-'].map(folder);
  const elsewhere = folder('');
  for (const short of shorts) noteOrigin(short, path.join(dataDir, 'regions', '1'));
  noteOrigin(elsewhere, temporaryFolder());
  mkdirSync(path.join(dataDir, 'regions', '1'), { recursive: true });
  expect(await purgeDataDir(dataDir)).toMatchObject({ ok: true });
  expect(shorts.map((short) => existsSync(short))).toEqual([false, false, false]);
  expect(existsSync(elsewhere)).toBe(true);
});

function abandonedDataDir(): string {
  const dataDir = path.join(temporaryFolder(), 'abandoned');
  mkdirSync(lockFolder(dataDir), { recursive: true });
  const holder = { pid: 2 ** 22 + 1, identity: 'boot:1' };
  writeFileSync(path.join(lockFolder(dataDir), '1'), JSON.stringify(holder));
  return dataDir;
}
