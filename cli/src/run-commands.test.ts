import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/lib/root.mjs';
import { lockFolder, processIdentity } from '../../server/src/platform/database/embedded/instance.mjs';
import { START_OPTIONS } from '../../server/src/startup/start-options.mjs';
import { newFolder } from '../../test/harness/leftovers.ts';
import { outputOf } from '../../test/harness/process.ts';
import { startTestServer } from '../../test/harness/server.ts';
import { shared } from '../../test/harness/shared.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { EXIT } from './failures.ts';
import { type Circumstances, runCommand } from './testing.ts';

/** How the cloud of a folder, or of a person, is found, and what is said of it. Starts and stops themselves are in
 *  test/e2e/package.test.ts and test/docs/ci.test.ts. */

const server = shared(() => startTestServer({ worker: false }));
const folder = newFolder('e2e');
const here = path.join(folder, 'here');
const data = path.join(here, '.virga');
const quoting = "it's";

let url: string;

/** What a server leaves in its data directory, with the pid of this test. */
function serveFrom(dataDir: string): void {
  mkdirSync(lockFolder(dataDir), { recursive: true });
  const instance = { pid: process.pid, identity: processIdentity(process.pid), url };
  writeFileSync(path.join(lockFolder(dataDir), '1'), JSON.stringify(instance));
  const { tokens } = server;
  const credentials = ['EMAIL=admin@virga.internal', `PASSWORD=${quoting}`];
  const lines = [...credentials, `API_TOKEN=${tokens.Administrators}`, `OPERATOR_TOKEN=${tokens.operator}`];
  writeFileSync(path.join(dataDir, 'credentials'), `${lines.join('\n')}\n`);
}

beforeAll(async () => {
  url = await server.api.listen({ host: '127.0.0.1', port: 0 });
  serveFrom(data);
});

const virga = (line: string, more: Circumstances = {}) =>
  runCommand(line.split(' '), { cwd: here, ...more, env: { HOME: folder, ...more.env } });

test('the cloud of a region is checked without a server, by the file that a node reads', async () => {
  const file = path.join(folder, 'regions.json');
  writeFileSync(file, '{ "regions": [{ "id": 4, "name": "Here", "provider": "simulated" }] }');
  const said = await virga('region check Frankfurt', { env: { VIRGA_DATA_DIR: data, VIRGA_REGIONS: file } });
  expect(said.code).not.toBe(0);
  expect(said.errors).toContain(
    'VIRGA_REGIONS names no region Frankfurt of the provider openstack: it names none',
  );
});

describe('the cloud', () => {
  test('of the folder is found, with its tokens', async () => {
    expect(JSON.parse((await virga('status -o json')).output)).toEqual({
      url,
      state: 'ready',
      portal: url,
      reference: `${url}/docs`,
      found_by: data,
      data_dir: data,
      pid: process.pid,
      token: 'known',
    });
    expect((await virga('account get --query id')).output).toBe('1\n');
    expect((await virga('node list')).code).toBe(0);
    const { portal, works } = JSON.parse((await virga('open -o json')).output);
    expect(works).toBe('once, for five minutes');
    const [address, token] = portal.split('#');
    expect(address).toBe(`${url}/sign-in`);
    const enter = async () =>
      (await server.call('POST', '/virga/v1/session/link', { body: { token } })).status;
    expect([await enter(), await enter()]).toEqual([200, 400]);
  });

  test('is opened in a browser by a file that only the person can read', async () => {
    const bin = path.join(folder, 'bin');
    const seen = path.join(folder, 'seen');
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      path.join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf '%s' "$*" >${seen}.part && mv ${seen}.part ${seen}\n`,
      {
        mode: 0o755,
      },
    );
    const env = { DISPLAY: ':0', PATH: `${bin}:${process.env.PATH}` };
    expect((await virga('open', { env, answers: [] })).output).toContain('in the browser');
    const file = path.join(data, 'open.html');
    await vi.waitFor(() => expect(readFileSync(seen, 'utf8')).toBe(`file://${file}`), 10_000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(`location.replace("${url}/sign-in#`);
  });

  test('of the person is found elsewhere, and a profile counts more', async () => {
    const elsewhere = { cwd: folder };
    expect(await virga('status', elsewhere)).toMatchObject({ code: EXIT.unreachable });
    serveFrom(path.join(folder, '.local', 'share', 'virga'));
    const found = async () => JSON.parse((await virga('status -o json', elsewhere)).output).found_by;
    expect(await found()).toBe(path.join(folder, '.local', 'share', 'virga'));
    await virga(`login ${url} --name kept`, { input: server.tokens.Engineers });
    expect(await found()).toBe('the profile kept');
    await virga('logout kept');
  });

  test('that does not answer is said, with what is known of it', async () => {
    const { code, output, errors } = await virga('status -o json', {
      env: { VIRGA_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(EXIT.unreachable);
    expect(JSON.parse(output)).toMatchObject({ state: 'away', token: 'none' });
    expect(errors).toBe('http://127.0.0.1:1 does not answer\n');
  });
});

test('env prints settings that a shell reads, and that the command itself takes', async () => {
  const { output } = await virga('env');
  const script = `${output}\nprintf '%s\\n' "$VIRGA_URL" "$VIRGA_TOKEN" "$GCORE_API_ENDPOINT" "$GCORE_API" "$GCORE_CLOUD_PROJECT_ID"`;
  const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: {} });
  // GCORE_API would be where the cloud's part alone is.
  expect(said).toBe(`${url}\n${server.tokens.Administrators}\n${url}\n\n1\n`);
});

describe('logs', () => {
  const log = path.join(data, 'virga.log');

  test('are printed, or those of a task', async () => {
    expect((await virga('logs', { cwd: folder })).code).toBe(EXIT.wrong);
    writeFileSync(log, 'one\ntwo task-7\n');
    expect(await virga('logs')).toEqual({ code: 0, output: 'one\ntwo task-7\n', errors: '' });
    expect((await virga('logs --task task-7')).output).toBe('two task-7\n');
  });

  test('are followed, line by line', async () => {
    writeFileSync(log, 'one\n');
    const child = spawn(process.execPath, [path.join(ROOT, 'cli/bin/virga.mjs'), 'logs', '-f'], {
      cwd: here,
      env: { PATH: process.env.PATH, HOME: folder },
    });
    const output = outputOf(child);
    await waitUntil(() => output() === 'one\n', { what: () => `the first line: ${output()}` });
    appendFileSync(log, 'half ');
    appendFileSync(log, 'a line\n');
    await waitUntil(() => output() === 'one\nhalf a line\n', { what: () => `the second line: ${output()}` });
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});

test('up has the options of npm start, and suggests the nearest', async () => {
  const { output } = await virga('up --help');
  for (const { name, means } of START_OPTIONS)
    if (name !== '--help') expect(output.replace(/\s+/g, ' ')).toContain(name === '--version' ? name : means);
  expect(await virga('up --prot 80')).toMatchObject({ code: 2, errors: /Did you mean --port\?/ as never });
});

test('data is forgotten only when a person agrees', async () => {
  expect(await virga('down --purge', { answers: ['no'] })).toEqual({
    code: EXIT.wrong,
    output: '',
    errors: `Forget all data in ${data}? [y/N] Nothing was done\n`,
  });
});

test('doctor says what is missing, why, and how to get it', async () => {
  const { output } = await virga('doctor');
  expect(output).toContain(`ok: Node.js ${process.versions.node}\n`);
  expect(output).toMatch(/A cloud (can start here|lacks what is called missing above)/);
  for (const line of output.split('\n').filter((each) => /^(missing|optional): /.test(each)))
    expect(line).toMatch(/install|room/);
});
