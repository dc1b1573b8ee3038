import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  lockFolder,
  processIdentity,
  shareFolder,
} from '../server/src/platform/database/embedded/instance.mjs';
import { stopServer } from './lib/stop-server.mjs';

const SYSTEM_FOLDER = '/var/lib/virga';
const STOP = path.join(import.meta.dirname, 'stop.mjs');

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'virga-stop-'));
  const folder = dataDir;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A process that says when it listens for signals, and does what `onTerm` says on SIGINT. */
async function startProcess(onTerm: string): Promise<ChildProcess & { pid: number }> {
  const program = `process.on('SIGINT', () => { ${onTerm} }); setInterval(() => {}, 1000); console.log('ready')`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return Object.assign(child, { pid: child.pid ?? 0 });
}

function claim(pid: number, identity = processIdentity(pid), folder = dataDir): void {
  mkdirSync(lockFolder(folder), { recursive: true });
  writeFileSync(path.join(lockFolder(folder), '1'), JSON.stringify({ pid, identity }));
}

test('nothing to stop is said, and no failure', async () => {
  const expected = { ok: true, line: `Virga is not running on ${dataDir}.` };
  expect(await stopServer(dataDir)).toEqual(expected);
  expect(await stopServer(path.join(dataDir, 'nowhere'))).toMatchObject({ ok: true });
});

test('a data directory is named in one word or in two, as for the start', () => {
  for (const words of [[`--data-dir=${dataDir}`], ['--data-dir', dataDir]]) {
    const { status, stdout } = spawnSync(process.execPath, [STOP, ...words], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, `Virga is not running on ${dataDir}.\n`]);
  }
  const { status, stderr } = spawnSync(process.execPath, [STOP, '--data-dir'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    '--data-dir= is not an option; there are --purge and --data-dir=FOLDER.\n',
  ]);
});

test('the server is asked to end, and waited for', async () => {
  const child = await startProcess('setTimeout(() => process.exit(0), 200)');
  claim(child.pid);
  expect(await stopServer(dataDir)).toEqual({ ok: true, line: `Virga (pid ${child.pid}) has stopped.` });
  expect(processIdentity(child.pid)).toBeUndefined();
});

test('all servers that share the data directory are asked', async () => {
  const children = [await startProcess('process.exit(0)'), await startProcess('process.exit(0)')];
  children.forEach(({ pid }, index) => {
    claim(pid, undefined, shareFolder(dataDir, index + 1));
  });
  const line = children.map(({ pid }) => `Virga (pid ${pid}) has stopped.`).join('\n');
  expect(await stopServer(dataDir)).toEqual({ ok: true, line });
});

test('a foreign process that has got the pid of a dead server is left alone', async () => {
  const child = await startProcess('process.exit(1)');
  claim(child.pid, 'an-earlier-boot:1');
  expect(await stopServer(dataDir)).toEqual({ ok: true, line: `Virga is not running on ${dataDir}.` });
  expect(processIdentity(child.pid)).toBeDefined();
});

test('one that does not end is named after a bounded time', async () => {
  const child = await startProcess('');
  claim(child.pid);
  expect(await stopServer(dataDir, 100)).toEqual({
    ok: false,
    line: `Virga (pid ${child.pid}) still runs 0.1 s after SIGINT.`,
  });
});

test.runIf(process.getuid?.() === 0)(
  'a stop names the folders elsewhere that have data, for a backup',
  () => {
    mkdirSync(SYSTEM_FOLDER, { recursive: true });
    const engines = mkdtempSync(path.join(SYSTEM_FOLDER, 'engines-'));
    onTestFinished(() => rmSync(engines, { recursive: true }));
    mkdirSync(path.join(dataDir, 'regions', '1'), { recursive: true });
    const stop = () => {
      const env = { ...process.env, VIRGA_DATA_DIR: dataDir };
      return spawnSync(process.execPath, [STOP], { env, encoding: 'utf8' }).stdout;
    };
    const notRunning = `Virga is not running on ${dataDir}.\n`;
    expect(stop()).toBe(notRunning);
    writeFileSync(path.join(engines, 'origin'), path.join(dataDir, 'regions', '1', 'postgresql'));
    expect(stop()).toBe(`${notRunning}Its data is in ${dataDir} ${engines}\n`);
  },
);
