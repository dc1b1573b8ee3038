import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { makeCertificate } from '../../server/src/features/secrets/testing/certificates.ts';
import { addSshKey, createCluster } from '../../test/harness/kubernetes.ts';
import { newFolder } from '../../test/harness/leftovers.ts';
import { startTestServer } from '../../test/harness/server.ts';
import { shared } from '../../test/harness/shared.ts';
import { EXIT } from './failures.ts';
import { type Circumstances, runCommand } from './testing.ts';

/** Verbs that were made by hand. */

const server = shared(() => startTestServer());
const folder = newFolder('e2e');

let env: Record<string, string>;

beforeAll(async () => {
  const url = await server.api.listen({ host: '127.0.0.1', port: 0 });
  const { Administrators: VIRGA_TOKEN, operator: VIRGA_OPERATOR_TOKEN } = server.tokens;
  env = { VIRGA_URL: url, VIRGA_TOKEN, VIRGA_OPERATOR_TOKEN, VIRGA_DEFAULT_REGION: '2', PATH: folder };
});

const virga = (line: string, more: Circumstances = {}) =>
  runCommand(line.split(' '), { ...more, env: { ...env, ...more.env }, cwd: folder });
const answer = async (line: string) => {
  const { output, errors } = await virga(`${line} -o json`);
  expect(errors).toBe('');
  return JSON.parse(output);
};

describe('lb create', () => {
  test('makes listeners with their members and checks', async () => {
    const line =
      'lb create web --listen http:80 --listen tcp:5432 --member 127.0.0.1:9001 --member [::1]:9002 --check /';
    const made = await answer(line);
    expect(made).toMatchObject({ name: 'web', provisioning_status: 'ACTIVE' });
    const pools = await answer('pool list --details');
    const http = pools.find(({ name }: { name: string }) => name === 'http-80');
    expect(http).toMatchObject({
      protocol: 'HTTP',
      members: [
        { address: '127.0.0.1', protocol_port: 9001 },
        { address: '::1', protocol_port: 9002 },
      ],
      healthmonitor: { type: 'HTTP', url_path: '/' },
    });
    expect((await answer('listener list')).map(({ name }: { name: string }) => name).sort()).toEqual([
      'http-80',
      'tcp-5432',
    ]);
  });

  test('takes a certificate by its name', async () => {
    const { certificate, privateKey } = await makeCertificate(['shop.test']);
    writeFileSync(path.join(folder, 'cert.pem'), certificate);
    writeFileSync(path.join(folder, 'key.pem'), privateKey);
    const secret = await answer('secret create shop --certificate cert.pem --key key.pem');
    await answer('lb create secure --listen https:443 --certificate shop');
    const [listener] = await answer('listener list --query [?protocol_port==`443`]');
    expect(listener).toMatchObject({ protocol: 'TERMINATED_HTTPS', secret_id: secret.id });
  });

  test.each([
    [
      'lb create bad --listen ftp:21',
      /^--listen must be such as http:80 \(http, https, tcp, udp\), not "ftp:21"\n$/,
    ],
    [
      'lb create bad --listen http:80 --member 9001',
      /^--member must be such as 127\.0\.0\.1:9001, not "9001"\n$/,
    ],
    [
      'lb create bad --listen http:80 --check health',
      /^--check must be a path such as \/ or tcp, not "health"\n$/,
    ],
    [
      'lb create bad --listen ftp:21 --listen http:99999 --member nowhere --check health',
      /^--listen .*"ftp:21"\n--listen .*"http:99999"\n--member .*"nowhere"\n--check .*"health"\n$/,
    ],
    ['lb create bad --member 127.0.0.1:1', /^--listen is needed with --member and --check/],
    ['secret create bad --key key.pem', /^--certificate and --key are needed together\n$/],
    ['token create bad --days soon', /^--days must be a number above 0, not "soon"\n$/],
  ])('%s is refused', async (line, errors) => {
    expect(await virga(line)).toEqual({
      code: EXIT.wrong,
      output: '',
      errors: expect.stringMatching(errors),
    });
  });
});

test('lb watch shows the parts with their health, and ends when it is as asked for', async () => {
  await answer('lb create watched --listen http:80 --member 127.0.0.1:9001');
  const { operating_status } = await answer('lb get watched');
  const { code, output } = await virga(`lb watch watched --until ${operating_status}`);
  expect(code).toBe(0);
  expect(output).toMatch(
    /^watched {2}\w+\n {2}listener http-80 {2}\w+\n {4}pool http-80 {2}\w+\n {6}127\.0\.0\.1:9001 {2}\w+\n$/,
  );
});

test('task watch follows a task to its end', async () => {
  const { output } = await virga('network create slow --no-wait');
  const watched = await virga(`task watch ${output.trim()}`);
  expect(watched.output).toMatch(/^state +FINISHED$/m);
});

test('quota shows what is used of each limit', async () => {
  const { output, code } = await virga('quota');
  expect(code).toBe(0);
  expect(output).toMatch(/^NAME +WITHIN +USED +LIMIT$/m);
  expect(output).toMatch(/^loadbalancer_count +region 2 +3 +\d+$/m);
});

test('token create makes a token of a role, for as long as is said', async () => {
  const made = await answer('token create deployments --role Users --days 2');
  expect(made).toMatchObject({ name: 'deployments', client_user: { role: { name: 'Users' } } });
  expect(Date.parse(made.exp_date) - Date.now()).toBeLessThanOrEqual(2 * 86_400_000);
  expect((await virga('account get --query id', { env: { VIRGA_TOKEN: made.token } })).output).toBe('1\n');
});

test('k8s kubeconfig prints what kubectl reads', async () => {
  await addSshKey(server);
  await createCluster(server, 'shop');
  const { code, output } = await virga('k8s kubeconfig shop');
  expect(code).toBe(0);
  expect(parse(output)).toMatchObject({ kind: 'Config', clusters: [expect.any(Object)] });
  expect(await answer('k8s kubeconfig shop')).toMatchObject({ config: output });
});

test('storage create prints a profile for S3 clients', async () => {
  const { code, output, errors } = await virga('storage create media');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(
    /^\[profile media\]\naws_access_key_id = \S+\naws_secret_access_key = \S+\nendpoint_url = http\S+\n/,
  );
  const locationOf = async (name: string) => (await answer(`storage list --name ${name}`))[0].location_name;
  expect(await locationOf('media')).toBe('simulated');
  await virga('storage create here', { env: { VIRGA_DEFAULT_REGION: '1' } });
  expect(await locationOf('here')).toBe('local');
});

test('pg create needs no more than a name, and pg connect opens psql without a password in its arguments', async () => {
  writeFileSync(path.join(folder, 'psql'), '#!/bin/sh\n');
  chmodSync(path.join(folder, 'psql'), 0o755);
  const made = await answer('pg create shop --database orders --user clerk');
  expect(made).toMatchObject({
    cluster_name: 'shop',
    status: 'READY',
    databases: [{ name: 'orders', owner: 'clerk' }],
  });
  const programs: [string, readonly string[], NodeJS.ProcessEnv][] = [];
  const { code, errors } = await virga('pg connect shop -- -c select', {
    onProgram: (...all) => programs.push(all),
  });
  expect({ code, errors }).toEqual({ code: 0, errors: 'Connecting to shop as clerk\n' });
  expect(programs).toEqual([
    [
      path.join(folder, 'psql'),
      ['-c', 'select'],
      expect.objectContaining({ PGUSER: 'clerk', PGDATABASE: 'orders', PGPASSWORD: expect.any(String) }),
    ],
  ]);
  expect(await virga('pg query shop select')).toMatchObject({
    code: 2,
    errors:
      'The password of clerk was shown already: set PGPASSWORD, or make a new one with virga pg renew-credentials shop clerk\n',
  });
});

describe('completion', () => {
  const completed = async (...words: readonly string[]) => {
    const { output } = await runCommand(['complete', '--', ...words], { env });
    const lines = output.trimEnd().split('\n');
    expect(lines.pop()).toBe(':4');
    return lines.map((line) => line.split('\t')[0]);
  };

  test('knows commands, nouns, verbs, flags and their values', async () => {
    expect(await completed('l')).toEqual(expect.arrayContaining(['lb', 'listener', 'login', 'logs']));
    expect(await completed('lb', 'w')).toEqual(['watch']);
    expect(await completed('lb', 'create', '--lis')).toEqual(['--listen', '--listeners']);
    expect(await completed('lb', 'list', '-o', '')).toEqual(['table', 'json', 'yaml', 'name']);
    expect(await completed('up', '--p')).toEqual(['--port']);
  });

  test('knows the names of resources', async () => {
    await answer('network create completed');
    expect(await completed('network', 'get', 'comp')).toEqual(['completed']);
    expect(await completed('subnet', 'create', '--network-id', 'comp')).toEqual(['completed']);
    expect(await completed('network', 'list', '--project', 'd')).toEqual(['default']);
    expect(await completed('lb', 'watch', 'watch')).toEqual(['watched']);
  });

  test('gives shells nothing that they would run', async () => {
    await server.call('POST', '/cloud/v1/projects', { body: { name: 'x$(touch y)' } });
    expect(await completed('network', 'list', '--project', 'x')).toEqual([]);
  });

  test.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    const said: string[] = [];
    const print = vi.spyOn(console, 'log').mockImplementation((text) => void said.push(text));
    expect((await virga(`completion ${shell}`)).code).toBe(0);
    print.mockRestore();
    expect(said.join('')).toContain('virga complete');
  });

  test('without a cloud knows no names, and says nothing', async () => {
    expect(await runCommand(['complete', '--', 'network', 'get', ''])).toEqual({
      code: 0,
      output: ':4\n',
      errors: '',
    });
  });
});
