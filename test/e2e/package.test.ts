import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packCommand } from '../../scripts/lib/package.mjs';
import { ROOT } from '../../scripts/lib/root.mjs';
import { newFolder } from '../harness/leftovers.ts';
import { outputOf, processesWith, removeDataDir } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** The package in an empty prefix: a cloud without a clone of the repository. */

const LARGEST_BYTES = 60_000_000;
/** An account of Debian that owns nothing, and runs nothing. */
const STRANGER = /^games:[^:]*:(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1];

const folder = newFolder('e2e');
const prefix = path.join(folder, 'prefix');
const virga = path.join(prefix, 'bin', 'virga');

let tarball: string;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  mkdirSync(prefix);
  tarball = await packCommand(ROOT, folder);
  const options = ['--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...options, tarball], { stdio: ['ignore', 'ignore', 'pipe'] });
});

afterAll(() => removeDataDir(folder));

test('the tarball is small, and holds no path of the machine that made it', () => {
  expect(statSync(tarball).size).toBeLessThan(LARGEST_BYTES);
  const grep = `tar xzOf ${tarball} | grep -cF '${ROOT}/' || true`;
  expect(execFileSync('bash', ['-c', grep], { encoding: 'utf8' })).toBe('0\n');
});

const people = [
  { name: 'this user', uid: process.getuid?.() ?? 0 },
  ...(process.getuid?.() === 0 && STRANGER ? [{ name: 'an ordinary user', uid: Number(STRANGER) }] : []),
];

describe.each(people)('$name', ({ name, uid }) => {
  const home = path.join(folder, name.replaceAll(' ', '-'));

  beforeAll(() => {
    mkdirSync(home);
    chownSync(home, uid, uid);
  });

  async function run(line: string, more: Readonly<Record<string, string>> = {}) {
    const child: ChildProcess = spawn(virga, line.split(' '), {
      cwd: home,
      ...(uid === process.getuid?.() ? {} : { uid, gid: uid }),
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TMPDIR: home,
        VIRGA_EDGE: 'off',
        LOG_LEVEL: 'warn',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = outputOf(child);
    const [code] = await once(child, 'close');
    return { code, output: output() };
  }

  test('starts a cloud, balances with it, stops it and forgets it', async () => {
    const up = await run('up --wait --port=0');
    expect(up.output).toMatch(/^VIRGA_URL=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(up.code).toBe(0);
    const status = await run('status -o json');
    expect(JSON.parse(status.output)).toMatchObject({ state: 'ready', data_dir: path.join(home, '.virga') });

    expect((await run('logs')).output).toContain('Stop it with virga down or Ctrl-C');

    const member = createServer((_, response) => response.end('from the member\n')).listen(0, '127.0.0.1');
    await once(member, 'listening');
    const { port } = member.address() as AddressInfo;
    const made = await run(`lb create web --listen http:8088 --member 127.0.0.1:${port} --check / -o json`);
    expect(made).toMatchObject({ code: 0 });
    const { vip_address } = JSON.parse(made.output);
    const answer = await waitUntil(async () => (await fetch(`http://${vip_address}:8088/`)).text(), {
      what: 'the load balancer to answer',
    });
    expect(answer).toBe('from the member\n');
    expect((await run('lb watch web --until ONLINE')).output).toContain(`127.0.0.1:${port}  ONLINE`);
    expect(await run('lb list --query [].name')).toEqual({ code: 0, output: 'web\n' });
    member.closeAllConnections();
    member.close();
    expect((await run('lb watch web --until ERROR')).output).toContain(`127.0.0.1:${port}  ERROR`);

    expect((await run('down --purge')).code).toBe(0);
    expect(existsSync(path.join(home, '.virga'))).toBe(false);
    expect(processesWith(home)).toEqual([]);
    expect((await run('lb list')).code).toBe(5);
  });
});

test('agents are served, too', () => {
  expect(execFileSync(virga, ['mcp'], { input: '', encoding: 'utf8' })).toBe('');
});

test('--version and --help are there everywhere', async () => {
  for (const line of ['--version', 'up --version']) {
    expect(execFileSync(virga, line.split(' '), { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/);
  }
  for (const line of ['--help', 'up --help', 'down --help', 'lb --help'])
    expect(execFileSync(virga, line.split(' '), { encoding: 'utf8' })).toContain('Usage: virga');
});
