import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/root.mjs';
import { newFolder } from '../../test/harness/leftovers.ts';
import { startTestServer } from '../../test/harness/server.ts';
import { shared } from '../../test/harness/shared.ts';
import { EXIT } from './failures.ts';
import { type Circumstances, runCommand } from './testing.ts';

/** Nouns and verbs of the API, against a whole server. */

const server = shared(() => startTestServer());
const folder = newFolder('e2e');

let env: Record<string, string>;

beforeAll(async () => {
  const url = await server.api.listen({ host: '127.0.0.1', port: 0 });
  env = {
    VIRGA_URL: url,
    VIRGA_TOKEN: server.tokens.Administrators,
    VIRGA_OPERATOR_TOKEN: server.tokens.operator,
    VIRGA_DEFAULT_REGION: '2',
    XDG_CONFIG_HOME: folder,
  };
});

const virga = (line: string, more: Circumstances = {}) =>
  runCommand(line.split(' '), { ...more, env: { ...env, ...more.env }, cwd: folder });
const answer = async (line: string) => JSON.parse((await virga(`${line} -o json`)).output);

describe('a write', () => {
  test('waits for its task with its steps, and prints what it made', async () => {
    const steps: string[] = [];
    const made = await virga('network create --name inner -o json', {
      onProgress: (text) => steps.push(text),
    });
    expect(made).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(made.output)).toMatchObject({ name: 'inner', region_id: 2 });
    expect(steps.at(-1)).toBe('create network inner: done');
  });

  test('takes names where the API wants ids, in arguments and in flags', async () => {
    await virga('network create --name by-name');
    const subnet = await answer('subnet create --network-id by-name --name rooms --cidr 10.7.0.0/24');
    const network = await answer('network get by-name');
    expect(subnet.network_id).toBe(network.id);
    expect(await virga('network delete by-name --yes')).toMatchObject({ code: 0, output: '' });
    expect(await virga('network get by-name')).toMatchObject({
      code: EXIT.wrong,
      errors: 'There is no network "by-name" here\n',
    });
  });

  test('names the ids of what a name could be', async () => {
    await virga('network create --name twin');
    await virga('network create --name twin');
    const ids = (await answer('network list --name twin')).map(({ id }: { id: string }) => id);
    const { code, errors } = await virga('network get twin');
    expect(code).toBe(EXIT.wrong);
    expect(errors).toMatch(/^Several are called "twin", so give the id: /);
    for (const id of ids) expect(errors).toContain(id);
  });

  test('with --no-wait prints the id of the task', async () => {
    const { output } = await virga('network create --name later --no-wait');
    expect((await answer(`task get ${output.trim()} --wait 60`)).state).toBe('FINISHED');
  });

  test('takes its body from a file, and fields of flags over it', async () => {
    writeFileSync(path.join(folder, 'network.yaml'), 'name: from-file\ntags: {env: test}\n');
    const made = await answer(
      'network create --file network.yaml --name from-flag --tags team=one --tags env=prod',
    );
    expect(made).toMatchObject({ name: 'from-flag' });
    expect(made.tags).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'env', value: 'prod' }),
        expect.objectContaining({ key: 'team', value: 'one' }),
      ]),
    );
    const piped = await virga('project create --file -', { input: '{"name": "piped"}' });
    expect(piped.output).toMatch(/^name +piped$/m);
  });

  test('reads a value from a file or standard input, so that it stands in no command', async () => {
    const made = await virga('inference-secret create --name s3-key --type aws-iam --data @- -o json', {
      input: '{"aws_access_key_id": "id", "aws_secret_access_key": "hidden"}',
    });
    expect(made.errors).toBe('');
    expect(JSON.parse(made.output)).toMatchObject({ name: 's3-key' });
  });

  test('goes on when it is interrupted, and says how to follow it', async () => {
    const { code, errors } = await virga('network create --name kept', { interrupt: true });
    expect(code).toBe(EXIT.interrupted);
    expect(errors).toMatch(/^Task [0-9a-f-]+ goes on\. Follow it with: virga task watch [0-9a-f-]+\n$/);
  });

  test('that loses data asks a person, and without one needs --yes', async () => {
    await virga('network create --name doomed');
    expect(await virga('network delete doomed')).toMatchObject({
      code: EXIT.wrong,
      errors:
        'Delete a network that nothing uses, with its subnets: doomed: say --yes, since nobody can be asked here\n',
    });
    expect(await virga('network delete doomed', { answers: ['n'] })).toMatchObject({
      code: EXIT.wrong,
      errors: 'Delete a network that nothing uses, with its subnets: doomed? [y/N] Nothing was done\n',
    });
    expect(await virga('network delete doomed', { answers: ['y'] })).toMatchObject({ code: 0 });
  });

  test('of the operator has the operator’s token', async () => {
    expect(await virga('fault set --kind create_network --rate 0.5')).toMatchObject({ code: 0, errors: '' });
    expect(await virga('fault clear-all --yes')).toMatchObject({ code: 0 });
    expect(await virga('fault list --region Simulated')).toMatchObject({ code: 0 });
  });

  test('of the operator is followed to its end, whoever its task belongs to', async () => {
    const { id } = await answer('client create --name doomed --email ops@doomed.example');
    await virga(`client suspend ${id} --reason unpaid --data-planes running --yes`);
    const { code, output, errors } = await virga(`client delete ${id} --yes -o json`);
    expect([code, errors]).toEqual([0, '']);
    const task = JSON.parse(output);
    expect(task).toMatchObject({ task_type: 'delete_client', state: 'FINISHED' });
    const env = { VIRGA_TOKEN: server.tokens.operator };
    const watched = await virga(`task watch ${task.id} -o json`, { env });
    expect(JSON.parse(watched.output)).toEqual(task);
    const refused = await virga(`task watch ${task.id}`, {
      env: { VIRGA_TOKEN: server.tokens['other client'] },
    });
    expect(refused).toMatchObject({ code: EXIT.missing, errors: expect.stringContaining('was not found') });
  });
});

describe('an answer', () => {
  test('is a table on a terminal, as wide as that, with times as they are said', async () => {
    await virga('project create --name a-project-with-a-long-name');
    const now = new Date(Date.now() + 3 * 3_600_000 + 1000);
    const { output } = await virga('project list', { columns: 60, now });
    const [head = '', ...rows] = output.trimEnd().split('\n');
    expect(head).toMatch(/^NAME +ID +STATE/);
    expect(rows.some((row) => row.startsWith('a-project-with-a-long-name'))).toBe(true);
    expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    expect((await virga('project get default', { columns: 100, now })).output).toMatch(
      /created_at +\d+ .*ago$/m,
    );
  });

  test('shows at least a name, however narrow the terminal is', async () => {
    expect((await virga('region list', { columns: 3 })).output).toMatch(/^DISPLA…\n(Asleep|Simula…|Local)\n/);
  });

  test('is JSON, YAML, names, or what JMESPath finds', async () => {
    expect((await virga('region list -o name')).output).toBe('Asleep\nSimulated\nLocal\n');
    expect(await answer('region list --query [?id==`2`].slug')).toEqual(['simulated']);
    expect((await virga('region list --query [].slug')).output).toBe('asleep\nsimulated\nlocal\n');
    expect((await virga('region get 2 -o yaml')).output).toMatch(/^display_name: Simulated$/m);
    expect(await virga('region list --query [')).toMatchObject({
      code: EXIT.wrong,
      errors: /^--query: / as never,
    });
  });

  test('of several pages is whole, unless a page was asked for', async () => {
    expect((await answer('network list')).length).toBeGreaterThan(3);
    expect(await answer('network list --limit 2')).toHaveLength(2);
  });
});

describe('what is wrong', () => {
  test.each([
    [
      'lb crate',
      2,
      /unknown command 'crate'\n\(Did you mean create\?\)\nWhat can be done with lb:\n {2}create, /,
    ],
    [
      'subnet show',
      2,
      /unknown command 'show'\nWhat can be done with subnet:\n {2}create, list, get, [a-z, ]+\n$/,
    ],
    ['lbb list', 2, /unknown command 'lbb'\n\(Did you mean lb\?\)/],
    ['wxyz list', 2, /^error: unknown command 'wxyz'\nAll commands and nouns: virga --help\n$/],
    ['lb create --nam web', 2, /unknown option '--nam'\n\(Did you mean --name\?\)/],
    ['lb create', 2, /^--name is needed: Its name\.\n$/],
    ['client update 2', 2, /^There is nothing to change: give at least one of --name, --email\n$/],
    ['lb get', 2, /missing required argument 'load-balancer'/],
    ['lb list --limit many', 2, /^--limit must be a whole number, not "many"\n$/],
    ['lb list -o xml', 2, /Allowed choices are table, json, yaml, name/],
    ['network create --name ?', 2, /^--name: must .*\nThe request was [0-9a-zA-Z-]+\n$/],
    ['lb create --name web --file none.yaml', 2, /^none\.yaml cannot be read: /],
    ['lb list --project shop', 2, /^There is no project "shop"; there are /],
    ['lb get 00000000-0000-4000-8000-000000000000', 4, /The request was /],
    [
      'lb list --profile other',
      2,
      /^There is no profile "other"; there is none yet: virga login URL makes one\n$/,
    ],
  ])('virga %s', async (line, code, errors) => {
    expect(await virga(line)).toEqual({ code, output: '', errors: expect.stringMatching(errors) });
  });

  test('a token that is not accepted says how to get another', async () => {
    const { code, errors } = await virga('project list', { env: { VIRGA_TOKEN: 'stale' } });
    expect(code).toBe(EXIT.denied);
    expect(errors).toContain('Sign in again with: virga login URL');
  });

  test('no cloud, or one that does not answer, is one line and what to do', async () => {
    expect(await runCommand(['project', 'list'])).toEqual({
      code: EXIT.unreachable,
      output: '',
      errors: 'No cloud was found: start one with virga up, or sign in to one with virga login URL\n',
    });
    const { code, errors } = await virga('project list', { env: { VIRGA_URL: 'http://127.0.0.1:1' } });
    expect(code).toBe(EXIT.unreachable);
    expect(errors).toMatch(/^http:\/\/127\.0\.0\.1:1 does not answer\nStart a cloud with: virga up\./);
  });
});

test('--version and --help need no cloud', async () => {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  expect(await runCommand(['--version'])).toMatchObject({ code: 0, output: `${version}\n` });
  for (const args of [['--help'], ['help'], ['lb', '--help'], ['help', 'lb'], ['lb', 'create', '--help']])
    expect((await runCommand(args)).code).toBe(0);
  const { output } = await runCommand(['--help']);
  expect(output.split('\n').length).toBeLessThan(55);
  expect(output).not.toMatch(/^ *complete /m);
});
