import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { START_OPTIONS } from '../server/src/startup/start-options.mjs';
import { newFolder } from '../test/harness/leftovers.ts';
import { outputOf, removeDataDir } from '../test/harness/process.ts';
import { ROOT } from './lib/root.mjs';

const folder = newFolder('e2e');
const { PATH, HOME } = process.env;

afterAll(() => removeDataDir(folder));

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts', 'start.mjs'), ...args], {
    env: { PATH, HOME, VIRGA_EDGE: 'off', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = outputOf(child);
  const [code] = await once(child, 'close');
  return { code, output: output() };
}

test('--help names all options, --version the version, and nothing is started', async () => {
  const help = await start(['--help']);
  expect(help.code).toBe(0);
  for (const { name } of START_OPTIONS) expect(help.output).toContain(`  ${name}`);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  expect(await start(['--version'])).toEqual({ code: 0, output: `${version}\n` });
});

describe.each([[[]], [['--wait']]])('npm start %j', (args) => {
  test('finds a port that is taken before anything is made', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const dataDir = path.join(folder, 'data');
    const { code, output } = await start([...args, `--port=${port}`], { VIRGA_DATA_DIR: dataDir });
    expect({ code, output }).toEqual({
      code: 1,
      output: `Port ${port} of 127.0.0.1 is held by another program: stop it, or set PORT\n`,
    });
    expect(existsSync(dataDir)).toBe(false);
    holder.close();
  });

  test('says in one line that a data directory cannot be had', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const dataDir = path.join(file, 'data');
    expect(await start([...args, '--port=0'], { VIRGA_DATA_DIR: dataDir })).toEqual({
      code: 1,
      output: `The data directory ${dataDir} is not a directory\n`,
    });
  });

  test.runIf(process.platform === 'linux')('ends where the system makes no folders', async () => {
    const { code, output } = await start([...args, '--port=0'], { VIRGA_DATA_DIR: '/proc/nope/data' });
    expect(code).toBe(1);
    expect(output).toMatch(
      /^The data directory \/proc\/nope\/data cannot be created \(E[A-Z]+\): set VIRGA_DATA_DIR to a folder you may write\n$/,
    );
  });
});
