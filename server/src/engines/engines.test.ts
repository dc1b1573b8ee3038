import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { waitUntil } from '../../../test/harness/wait.ts';
import { isAtLeast } from './debian.ts';
import { type Engine, Engines } from './index.ts';
import { moreToHave } from './more.ts';
import { ENGINES, enginesOf, KUBERNETES_ENGINES } from './table.ts';

const SCRIPT = '#!/bin/sh\necho "a program 1.0"\n';
const SHA = createHash('sha256').update(SCRIPT).digest('hex');

let shelf: string;

beforeEach(() => {
  shelf = newFolder('server');
  chmodSync(shelf, 0o755);
});

const engineOf = (source: Engine['source'], more: Partial<Engine> = {}): Engine => ({
  name: 'tool',
  title: 'A tool',
  why: 'tests',
  version: '1.0',
  setting: 'VIRGA_TEST_TOOL',
  source,
  small: false,
  probe: async () => 'a program 1.0',
  ...more,
});

const release = (url: string, sha256 = SHA): Engine['source'] => ({
  kind: 'release',
  url,
  sha256,
  program: 'a-tool-that-no-path-has',
});

/** Serves the program, and counts how often. */
async function makers(): Promise<{ url: string; requested: () => number }> {
  let requested = 0;
  const server = http.createServer((_request, response) => {
    requested += 1;
    response.end(SCRIPT);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tool`,
    requested: () => requested,
  };
}

test('an engine that is missing says how to get it; one that comes counts with the next look', async () => {
  const engine = engineOf(release('http://127.0.0.1:9/'));
  const changes: string[] = [];
  const engines = new Engines({
    folders: [shelf],
    engines: [engine],
    onChange: ({ state }) => changes.push(state),
  });
  await engines.look();
  expect(engines.faultOf('tool')).toBe(
    'A tool is not installed on this machine: npm run engines -- install tool',
  );
  expect(moreToHave(engines)).toBe('More can be had: npm run engines -- install tool (tests).');
  const folder = path.join(shelf, `a-tool-that-no-path-has-${SHA.slice(0, 12)}`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'a-tool-that-no-path-has'), SCRIPT, { mode: 0o755 });
  await engines.look();
  expect(engines.isReady('tool')).toBe(true);
  expect(changes).toEqual(['ready']);
  expect(moreToHave(engines)).toBeUndefined();
});

test('a release is fetched once, however many ask, and is put in its place whole', async () => {
  const { url, requested } = await makers();
  const engines = new Engines({ folders: [shelf], engines: [engineOf(release(url))] });
  const said: string[] = [];
  const [one, two] = await Promise.all([
    engines.install('tool', (line) => said.push(line)),
    engines.install('tool', () => undefined),
  ]);
  expect([one === two, existsSync(one), requested()]).toEqual([true, true, 1]);
  expect(said[0]).toBe(`Fetching ${url}.`);
  expect(await engines.install('tool', () => undefined)).toBe(one);
  expect(requested()).toBe(1);
});

test('a second process waits until the first has it, and does not get it again', async () => {
  const { url, requested } = await makers();
  let goOn: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slow = async () => {
    await held;
    return 'works';
  };
  const withProbe = (probe: Engine['probe']) =>
    new Engines({ folders: [shelf], engines: [engineOf(release(url), { probe })] });
  const one = withProbe(slow).install('tool', () => undefined);
  const said: string[] = [];
  const two = withProbe(async () => 'works').install('tool', (line) => said.push(line));
  await waitUntil(() => said.length > 0, { what: 'the second to wait' });
  goOn?.();
  expect(await two).toBe(await one);
  expect([requested(), said]).toEqual([1, ['Another process installs it already: waiting for that.']]);
  expect(readdirSync(shelf)).toHaveLength(1);
});

test('versions are compared by their numbers', () => {
  const versions = ['1.9.1', '1.20.9', '1.21.0', '1.24.1-1+deb13u2', '2.0', '(none)', '0'];
  expect(versions.filter((version) => isAtLeast(version, '1.21'))).toEqual([
    '1.21.0',
    '1.24.1-1+deb13u2',
    '2.0',
  ]);
});

test('a file with another checksum is refused and leaves nothing', async () => {
  const { url } = await makers();
  const engines = new Engines({ folders: [shelf], engines: [engineOf(release(url, 'f'.repeat(64)))] });
  await expect(engines.install('tool', () => undefined)).rejects.toThrow(
    `is not the file that was expected: its SHA-256 is ${SHA}`,
  );
  expect(readdirSync(shelf)).toEqual([]);
});

test('one that does not work says why, and is tried again after a while', async () => {
  let now = 0;
  let fault: string | undefined = 'its library is missing';
  const probe = async () => {
    if (fault) throw new Error(fault);
    return 'works';
  };
  const { url } = await makers();
  const engine = engineOf(release(url), { probe });
  const engines = new Engines({ folders: [shelf], engines: [engine], now: () => now });
  await expect(engines.install('tool', () => undefined)).rejects.toThrow('its library is missing');
  expect(engines.state('tool').state).toBe('broken');
  fault = undefined;
  await engines.look();
  expect(engines.state('tool').state).toBe('broken');
  now = 31_000;
  await engines.look();
  expect(engines.state('tool')).toMatchObject({ state: 'ready', says: 'works' });
});

test('a setting names the program before anything else; one that names nothing is said', async () => {
  const program = path.join(shelf, 'mine');
  writeFileSync(program, SCRIPT, { mode: 0o755 });
  const engine = engineOf(release('http://127.0.0.1:9/'));
  const of = async (named: string) => {
    const engines = new Engines({ folders: [shelf], engines: [engine], env: { VIRGA_TEST_TOOL: named } });
    await engines.look();
    return engines.state('tool');
  };
  expect(await of(program)).toMatchObject({ state: 'ready', program });
  expect((await of('/nowhere')).state).toBe('missing');
});

test('a name that is no engine is answered with those there are', () => {
  const engines = new Engines({ folders: [shelf] });
  expect(() => engines.state('minio')).toThrow(/^minio is not an engine; there are haproxy, nginx, /);
});

test('packages of the system are left to whoever may install them', async () => {
  const engine = engineOf({ kind: 'system', packages: ['one', 'two'], program: 'a-tool-that-no-path-has' });
  const engines = new Engines({ folders: [shelf], engines: [engine] });
  await expect(engines.install('tool', () => undefined)).rejects.toThrow('apt-get install one two');
});

test('what this machine has is really tried', async () => {
  const engines = new Engines({ folders: [shelf] });
  await engines.look(['haproxy', 'nginx', 'postgresql-18']);
  const of = (name: string) => engines.state(name);
  expect(of('haproxy')).toMatchObject({ state: 'ready', says: expect.stringContaining('HAProxy') });
  expect(of('nginx')).toMatchObject({ state: 'ready', says: expect.stringContaining('nginx') });
  expect(of('postgresql-18')).toMatchObject({ state: 'ready', says: expect.stringContaining('18.') });
});

test('each engine has a name of its own', () => {
  const names = ENGINES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('all of Kubernetes is got by one name', () => {
  const names = enginesOf(['kubernetes', 's3']);
  expect(names).toEqual([KUBERNETES_ENGINES.at(-1), 'coredns', 'containerd', 's3']);
  const known = ENGINES.map(({ name }) => name);
  for (const name of names) expect(known).toContain(name);
});
