import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../../test/harness/leftovers.ts';
import { startTestServer } from '../../test/harness/server.ts';
import { shared } from '../../test/harness/shared.ts';
import { EXIT } from './failures.ts';
import { type Circumstances, runCommand } from './testing.ts';

/** Which cloud the command talks to, and what it keeps of it. */

const server = shared(() => startTestServer({ worker: false }));
const folder = newFolder('e2e');
const file = path.join(folder, 'virga', 'config.json');

let url: string;

beforeAll(async () => {
  url = await server.api.listen({ host: '127.0.0.1', port: 0 });
});

const virga = (line: string, more: Circumstances = {}) =>
  runCommand(line.split(' '), { ...more, env: { XDG_CONFIG_HOME: folder, ...more.env } });

test('a profile is kept for its owner alone, used, and forgotten', async () => {
  const input = `${server.tokens.Administrators}\n`;
  const { host } = new URL(url);
  expect(await virga(`login ${url}`, { input })).toEqual({
    code: 0,
    output: '',
    errors: `Signed in to ${url} as account 1; kept as the profile ${host}\n`,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect((await virga('account get --query id')).output).toBe('1\n');

  const other = `${server.tokens['other client']}\n`;
  await virga(`login ${url} --name other`, { input: other });
  expect((await virga('account get --query id')).output).toBe('2\n');
  expect((await virga(`account get --query id --profile ${host}`)).output).toBe('1\n');
  expect((await virga('account get --query id', { env: { VIRGA_PROFILE: host } })).output).toBe('1\n');
  await virga(`use --profile ${host}`);
  expect((await virga('account get --query id')).output).toBe('1\n');

  expect(await virga('logout other')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toContain(other.trim());
});

test('a token that the environment names is used, also with a cloud that was found otherwise', async () => {
  await virga(`login ${url}`, { input: server.tokens.Administrators });
  const env = { VIRGA_TOKEN: server.tokens['other client'] };
  expect((await virga('account get --query id', { env })).output).toBe('2\n');
});

test('the usual project and region are kept for each cloud, and flags and settings count more', async () => {
  await virga(`login ${url}`, { input: server.tokens.Administrators });
  const { id } = JSON.parse((await virga('project create --name shop -o json')).output);
  const used = await virga('use --project shop --region Simulated -o json');
  expect(JSON.parse(used.output)).toMatchObject({ cloud: url, project: id, region: 2 });
  const projectOf = async (line: string, env = {}) =>
    JSON.parse((await virga(`${line} -o json`, { env })).output)[0].project_id;
  expect(await projectOf('security-group list')).toBe(id);
  expect(await projectOf('security-group list --project default')).toBe(1);
  expect(await projectOf('security-group list', { VIRGA_DEFAULT_PROJECT: '1' })).toBe(1);
});

test('what is wrong keeps nothing', async () => {
  const before = readFileSync(file, 'utf8');
  const cases: readonly (readonly [string, string, number, RegExp])[] = [
    ['login cloud', 'x', EXIT.wrong, /^The address must be such as https:\/\/cloud\.example, not "cloud"\n$/],
    [`login ${url}`, '', EXIT.wrong, /^A token is needed/],
    [`login ${url}`, 'wrong', EXIT.denied, /Sign in again with: virga login URL/],
    ['logout nobody', '', EXIT.wrong, /^There is no profile "nobody"\n$/],
    ['use --project nowhere', '', EXIT.wrong, /^There is no project "nowhere"/],
  ];
  for (const [line, input, code, errors] of cases)
    expect(await virga(line, { input })).toMatchObject({ code, errors: expect.stringMatching(errors) });
  expect(readFileSync(file, 'utf8')).toBe(before);
});
