import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { startTestServer } from '../../../test/harness/server.ts';
import { shared } from '../../../test/harness/shared.ts';
import { runCommand } from '../testing.ts';

const server = shared(() => startTestServer());
const folder = newFolder('e2e');
let env: Record<string, string>;

const virga = (line: string) => runCommand(line.split(' '), { env, cwd: folder });
const made = async (line: string) => {
  const { code, output, errors } = await virga(`${line} -o json`);
  expect([code, errors]).toEqual([0, '']);
  return JSON.parse(output);
};
const read = (file: string) => readFileSync(path.join(folder, 'all', file), 'utf8');
const json = (file: string) => JSON.parse(read(file));

let ids: Record<'network' | 'balancer' | 'pool' | 'member', string>;

beforeAll(async () => {
  env = {
    VIRGA_URL: await server.api.listen({ host: '127.0.0.1', port: 0 }),
    VIRGA_TOKEN: server.tokens.Administrators,
    VIRGA_DEFAULT_REGION: '2',
    XDG_CONFIG_HOME: folder,
  };
  const network = await made('network create --name inner');
  await made('network create --name inner');
  const balancer = await made('lb create web --listen http:80 --member 127.0.0.1:9001 --check /');
  const [pool] = (await made('pool list --details')).filter(
    ({ loadbalancers }: { loadbalancers: { id: string }[] }) => loadbalancers[0]?.id === balancer.id,
  );
  await made('pg create shop --database orders --user shop');
  ids = { network: network.id, balancer: balancer.id, pool: pool.id, member: pool.members[0].id };
  await server.call('POST', '/storage/v4/object_storages', {
    body: { name: 'media', location_name: 'simulated' },
  });
});

test('everything is written, by account, project and region, for its owner alone', async () => {
  const { code, errors } = await virga('export all');
  expect(code).toBe(0);
  expect(errors).toMatch(/^\d+ resources are in .*\/all, \d+ of them can be imported/);
  const networks = json('resources/project-1/region-2/networks.json');
  expect(networks.filter(({ name }: { name: string }) => name === 'inner')).toHaveLength(2);
  expect(json('resources/account/object_storages.json')).toMatchObject([{ name: 'media' }]);
  expect(json('resources/project-1/region-2/loadbalancers.json')).toMatchObject([{ id: ids.balancer }]);
  expect(readdirSync(path.join(folder, 'all', 'resources', 'project-1'))).toContain('region-2');
  expect(statSync(path.join(folder, 'all', 'import.tf')).mode & 0o777).toBe(0o600);
  for (const file of filesIn(path.join(folder, 'all')))
    expect(readFileSync(file, 'utf8'), file).not.toContain(server.tokens.Administrators);
});

test('import blocks have the ids that the tool takes, each under a name of its own', () => {
  const text = read('import.tf');
  const block = (type: string, name: string, id: string) =>
    `import {\n  to = ${type}.${name}\n  id = "${id}"\n}`;
  const networks = json('resources/project-1/region-2/networks.json');
  const [first, second] = networks.filter(({ name }: { name: string }) => name === 'inner');
  for (const each of [
    block('gcore_network', 'inner', `1:2:${first.id}`),
    block('gcore_network', 'inner_2', `1:2:${second.id}`),
    block('gcore_loadbalancerv2', 'web', `1:2:${ids.balancer}`),
    block('gcore_postgres_cluster', 'shop', '1:2:shop'),
    `to = gcore_lbmember.http_80_127_0_0_1\n  id = "1:2:${ids.member}:${ids.pool}"`,
    `:${ids.balancer}"`,
  ])
    expect(text).toContain(each);
  // The region's own network is nobody's to take.
  const external = networks.find(({ external: own }: { external: boolean }) => own);
  if (external) expect(text).not.toContain(external.id);
});

test('databases are dumped by name, without a password in the process list', () => {
  const script = read('databases.sh');
  expect(script).toContain("pg_dump --format=custom --file 'databases/shop/orders.dump' 'postgresql://shop@");
  expect(script).not.toMatch(/:\/\/[^@\s]+:[^@\s]+@/);
  execFileSync('sh', ['-n', path.join(folder, 'all', 'databases.sh')]);
});

test('what is interrupted leaves nothing that looks like an export, and can be done again', async () => {
  // The first list is answered, all others are not.
  const lost = http.createServer(async (request, response) => {
    if (!/clients\/me|projects$/.test(request.url ?? '')) return request.socket.destroy();
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${env.VIRGA_URL}${request.url}`, { headers: { authorization } });
    response.setHeader('content-type', 'application/json').end(await answer.text());
  });
  await new Promise<void>((resolve) => lost.listen(0, '127.0.0.1', resolve));
  const { port } = lost.address() as AddressInfo;
  const { code } = await runCommand(['export', 'again'], {
    env: { ...env, VIRGA_URL: `http://127.0.0.1:${port}` },
    cwd: folder,
  });
  lost.close();
  expect(code).not.toBe(0);
  expect(readdirSync(folder)).not.toContain('again');
  // As one leaves it that is killed, in a folder that was there, such as a disk of its own.
  mkdirSync(path.join(folder, 'again', '.incomplete', 'resources'), { recursive: true });
  expect(await virga('export again')).toMatchObject({ code: 0 });
  const made = readdirSync(path.join(folder, 'again'));
  expect(made).toContain('README.md');
  expect(made).not.toContain('.incomplete');
});

test('a folder that cannot be made is said before anything is read', async () => {
  const { code, errors } = await virga('export /proc/virga/all');
  expect([code, errors]).toEqual([2, expect.stringMatching(/^\/proc\/virga\/all cannot be made: ENOENT/)]);
});

test('a file is not taken for a folder', async () => {
  const file = path.join(folder, 'all', 'README.md');
  const { code, errors } = await virga('export all/README.md');
  expect([code, errors]).toEqual([2, `${file} is a file: name a folder\n`]);
});

test('a folder that has something in it is left as it is', async () => {
  const { code, errors } = await virga('export all');
  expect([code, errors]).toEqual([2, `${path.join(folder, 'all')} is not empty: name another folder\n`]);
});

const filesIn = (at: string): string[] =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
