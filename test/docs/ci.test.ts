import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, runScript } from '../harness/documents.ts';
import { newDataDir, processesWith, removeDataDir } from '../harness/process.ts';

/** docs/ci.md as it stands, and what it says of starts and stops. */

let folder: string;

beforeAll(async () => {
  // The first start of a tree says that it builds the portal; these are of a tree that was started before.
  expect(await runScript('node scripts/portal.mjs')).toMatchObject({ code: 0 });
  folder = newDataDir();
});

afterAll(() => removeDataDir(folder));

const QUIET = { PORT: '0', VIRGA_EDGE: 'off', LOG_LEVEL: 'warn' };
const START = 'node scripts/start.mjs --wait';
const STOP = 'node scripts/stop.mjs --purge';
const factsOf = (output: string) =>
  Object.fromEntries(
    output
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
const temporaries = () => readdirSync(folder).filter((name) => name.startsWith('virga-temporary-'));

test('the recipe for one server does what it says, and leaves nothing', async () => {
  const [script = ''] = blocksOf('docs/ci.md', 'sh', 'One server for a job');
  const ran = await runScript(script, { TMPDIR: folder });
  expect(ran.errors).toBe('');
  expect(ran.code).toBe(0);
  expect(ran.output).toMatch(/"state":"FINISHED"\nVirga \(pid \d+\) has stopped.\n$/);
  expect(temporaries()).toEqual([]);
  expect(processesWith(folder)).toEqual([]);
});

test('two run in parallel', async () => {
  const [script = ''] = blocksOf('docs/ci.md', 'sh', 'Two in parallel');
  const ran = await runScript(script, { TMPDIR: folder });
  expect(ran.errors).toBe('');
  expect(ran.code).toBe(0);
  for (const name of ['one', 'two']) expect(ran.output).toContain(`"name":"${name}"`);
  expect(temporaries()).toEqual([]);
});

test('the seed of the document is there when the start is ready, once, however often it is killed', async () => {
  const dataDir = path.join(folder, 'seeded');
  const file = path.join(folder, 'seed.json');
  writeFileSync(file, blocksOf('docs/ci.md', 'json', 'A cloud that is not empty')[0] ?? '');
  const env = { ...QUIET, VIRGA_DATA_DIR: dataDir, VIRGA_SEED_FILE: file };
  // With the key of a backup, for example.
  mkdirSync(dataDir, { mode: 0o711 });
  writeFileSync(path.join(dataDir, 'master-key'), Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
  // Killed as soon as the first run is committed, in the middle of these calls or before them.
  const killed = `${START} & until [ -e ${dataDir}/credentials ]; do sleep 0.01; done
    kill -9 $(sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' ${dataDir}/lock/*); wait`;
  await runScript(killed, env);
  const ran = await runScript(START, env);
  expect(ran.errors).toBe('');
  const { VIRGA_URL: url, VIRGA_LOG: log, API_TOKEN: token } = factsOf(ran.output);
  expect(log).toBe(path.join(dataDir, 'virga.log'));
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
  const get = async (target: string): Promise<any> =>
    (await fetch(`${url}${target}`, { headers: { authorization: `APIKey ${token}` } })).json();
  const projects = (await get('/cloud/v1/projects')).results.map(({ name }: { name: string }) => name);
  expect(projects.sort()).toEqual(['Default', 'shop']);
  const [balancer, ...more] = (await get('/cloud/v1/loadbalancers/2/2')).results;
  expect(more).toEqual([]);
  const pools = (await get('/cloud/v1/lbpools/2/2')).results;
  expect(pools).toMatchObject([{ name: 'app', loadbalancers: [{ id: balancer.id }] }]);
  const tokens = await get('/iam/v2/clients/1/tokens');
  expect(JSON.stringify(tokens)).not.toContain('VIRGA_SEED_FILE');

  // For edges on other machines: this server has none.
  expect(existsSync(path.join(dataDir, 'edge-token'))).toBe(true);
  const second = await runScript(START, env);
  expect(second.code).toBe(1);
  expect(second.errors).toBe(
    `Virga already runs on ${dataDir} (pid ${factsOf(ran.output).VIRGA_PID}, ${url}): stop it with npm stop, or set VIRGA_DATA_DIR; its tokens are in ${dataDir}/credentials\n`,
  );
  await purge(dataDir, Number(factsOf(ran.output).VIRGA_PID));
});

/** What a killed server left goes, and nothing that is not Virga's. */
async function purge(dataDir: string, pid: number): Promise<void> {
  const env = { VIRGA_DATA_DIR: dataDir };
  const note = path.join(dataDir, 'notes.txt');
  writeFileSync(note, 'mine');
  process.kill(pid, 'SIGKILL');
  expect(processesWith(`${dataDir}/postgres`)).not.toEqual([]);
  const purged = await runScript(STOP, env);
  expect(purged.output).toContain('left alone, as Virga did not make it: notes.txt.');
  expect(readFileSync(note, 'utf8')).toBe('mine');
  expect(processesWith(dataDir)).toEqual([]);
  const refused = await runScript(STOP, env);
  const line = `${dataDir} is no data directory of Virga; nothing was removed.\n`;
  expect(refused).toMatchObject({ code: 1, errors: line });
}

test('a refused start says why, ends with 1 and leaves nothing running', async () => {
  const file = path.join(folder, 'wrong.json');
  writeFileSync(file, JSON.stringify({ calls: [{ path: '/cloud/v1/projects', body: { title: 'x' } }] }));
  const temporary = { ...QUIET, TMPDIR: folder, VIRGA_DATA_DIR: ':temporary:' };
  const cases: readonly (readonly [Record<string, string>, string, RegExp])[] = [
    [
      { VIRGA_TIMESCALE: '1' },
      START,
      /^VIRGA_TIMESCALE is not a setting; did you mean VIRGA_TIME_SCALE\?\n$/,
    ],
    [{}, `${START}=soon`, /^--wait needs a number of seconds, such as --wait=60, not "soon".\n$/],
    [{}, `${START}=0.01`, /^Virga was not ready within 0.01 s; it is stopped./],
    [
      { VIRGA_SEED_FILE: file },
      START,
      /^VIRGA_SEED_FILE: call 1 \(POST \/cloud\/v1\/projects\) was answered with 400: name: is required\n$/,
    ],
  ];
  for (const [env, script, reason] of cases) {
    const ran = await runScript(script, { ...temporary, ...env });
    expect(ran.errors).toMatch(reason);
    expect(ran).toMatchObject({ code: 1, output: '' });
  }
  expect(temporaries()).toEqual([]);
  expect(processesWith(`${folder}/virga-temporary`)).toEqual([]);
});
