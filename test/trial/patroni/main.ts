import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { webBalancer } from '../../harness/balancer.ts';
import { cableFault } from '../../harness/cable.ts';
import { processesIn } from '../../harness/leftovers.ts';
import { Clients } from '../../harness/machines.ts';
import { newDataDir, removeDataDir } from '../../harness/process.ts';
import { waitUntil } from '../../harness/wait.ts';
import { Caller } from '../caller.ts';
import { LabNode } from '../lab.ts';
import { TrialLoad } from '../load.ts';
import { ApiProxy, namedByPatroni } from '../proxy.ts';
import { PASSWORD, PatroniCluster, VIRGA } from './cluster.ts';
import { FAULTS, type Scene } from './faults.ts';
import { Follower } from './follower.ts';
import { installNeeds, postgresBinaries } from './needs.ts';
import { type Happened, report } from './report.ts';

/** npm run trial -- patroni: Virga's own state on three machines under Patroni, two API nodes and two workers behind a
 *  proxy; parts are killed, cut off and healed under load. Nothing of Virga is started anew but what was killed. Prints a
 *  table, and ends with 1 when anything was lost, done twice or not as it should be. */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    port: { type: 'string', default: '27600' },
  },
});
const PORT = Number(values.port);
const SENDERS = 6;
const MANY = 32;
const RATE_MS = 10_000;
/** A fault is watched for this long after it is over. */
const AFTER_MS = 5000;
const WEB_PORT = 8089;
/** Longer without an answer of the load balancer is more than a busy machine. */
const SILENT_MS = 2000;
const say = (line: string) => process.stdout.write(`${line}\n`);

const fault = cableFault();
if (fault) {
  process.stderr.write(`The trial needs network namespaces: ${fault}.\n`);
  process.exit(1);
}
if (!installNeeds()) process.exit(1);

const folder = mkdtempSync(path.join(tmpdir(), 'virga-trial-'));
// PostgreSQL has an account of its own, which has to get there.
chmodSync(folder, 0o711);
const dataDirs = [newDataDir(), newDataDir()] as const;
const cluster = new PatroniCluster(folder, postgresBinaries());
const nodes = [PORT + 1, PORT + 2];
const proxy = new ApiProxy(folder, {
  api: PORT,
  nodes,
  database: PORT + 3,
  postgres: namedByPatroni(cluster.addresses),
});
const env = {
  DATABASE_URL: `postgresql://${VIRGA}:${PASSWORD}@127.0.0.1:${PORT + 3}/${VIRGA}`,
  VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  VIRGA_TIME_SCALE: '0',
  VIRGA_RATE_LIMIT: '0',
  VIRGA_TRUSTED_PROXIES: '127.0.0.1',
  VIRGA_ACCESS_LOG: 'off',
};
const apis = nodes.map(
  (port) =>
    new LabNode({ dataDir: dataDirs[0], args: ['--role', 'api'], env: { ...env, PORT: String(port) } }),
);
const workers = [PORT + 4, PORT + 5].map(
  (port) =>
    new LabNode({
      dataDir: dataDirs[1],
      args: ['--role', 'worker'],
      env: { ...env, VIRGA_PROBE_PORT: String(port) },
    }),
);
const url = `http://127.0.0.1:${PORT}`;
const load = new TrialLoad(url);
const member = createServer((_request, response) => response.end('member'));

async function setUp(): Promise<void> {
  await cluster.start();
  await proxy.start();
  // The first one makes the database.
  for (const node of [...apis, ...workers]) await node.start();
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
}

/** A load balancer in a local region, whose clients ask all the while. */
async function balancer(): Promise<Clients> {
  const caller = new Caller(url);
  const { port } = member.address() as AddressInfo;
  const body = webBalancer(WEB_PORT, [port]);
  const task = await caller.ended(await caller.call('POST', '/cloud/v1/loadbalancers/1/1', body));
  const [id] = task.created_resources.loadbalancers;
  const { vip_address: vip } = (await caller.call('GET', `/cloud/v1/loadbalancers/1/1/${id}`)).body;
  const clients = new Clients([], `http://${vip}:${WEB_PORT}/`);
  await waitUntil(() => clients.answered > 20, { what: 'clients to be answered' });
  return clients;
}

/** Nodes that have ended though nobody killed them. */
const ended = () =>
  [...apis, ...workers].filter(({ process: node }) => {
    try {
      return node === undefined || !process.kill(node.pid, 0);
    } catch {
      return true;
    }
  }).length;

async function run(): Promise<boolean> {
  const clients = await balancer();
  const follower = new Follower(url);
  await follower.opened();
  load.start(SENDERS);
  await waitUntil(() => load.finished.length >= SENDERS, { what: 'the first creations' });
  const scene: Scene = { cluster, apis, workers, load };
  const happened: Happened[] = [];
  for (const each of FAULTS.filter(({ name }) => new RegExp(values.only, 'i').test(name))) {
    const since = performance.now();
    process.stderr.write(`${each.name}\n`);
    await each.run(scene);
    const over = performance.now();
    await waitUntil(() => load.finished.some((at) => at > over), { what: `a creation after: ${each.name}` });
    await cluster.whole();
    await delay(AFTER_MS);
    happened.push({ fault: each, since, until: performance.now() });
  }
  await load.stop();
  const seen = await clients.stop();
  const query = (text: string) => cluster.query(text, VIRGA);
  const unended = 'select 1 from tasks where finished_at is null';
  await waitUntil(async () => (await query(unended)).length === 0, { what: 'all tasks to end' });
  const followed = await follower.stop([...load.tasks, ...load.acknowledged.map(({ task }) => task)]);
  const good = await report(happened, load, query, say);
  say(
    `A load balancer in a local region was asked all the while: ${seen.answered} answers, ${seen.failed} without one within half a second, at most ${(seen.longestGap / 1000).toFixed(1)} s from one to the next.`,
  );
  const { missed, repeated, resets } = followed;
  say(
    `A stream of tasks told the end of ${followed.ended} tasks: ${missed.length} missed, ${repeated.length} repeated, ${resets} times begun anew.`,
  );
  const gone = ended();
  say(`Nodes of Virga that ended by themselves: ${gone}.`);
  say(`Writes a second of ${MANY} clients, nothing failing: ${await rate()}.`);
  return good && seen.longestGap < SILENT_MS && gone + missed.length + repeated.length + resets === 0;
}

/** Creations, changes and deletions that are acknowledged each second, with the tasks that they start. */
async function rate(): Promise<number> {
  const many = new TrialLoad(url);
  many.start(MANY);
  await waitUntil(() => many.finished.length >= MANY, { what: 'the first creations' });
  const before = many.writes.length;
  await delay(RATE_MS);
  const written = many.writes.length - before;
  await many.stop();
  return Math.round((written / RATE_MS) * 1000);
}

let over: Promise<void> | undefined;
const tearDown = () => {
  over ??= end();
  return over;
};

async function end(): Promise<void> {
  await Promise.allSettled([...workers, ...apis].map((node) => node.end('SIGTERM')));
  await proxy.end('SIGKILL');
  await cluster.end();
  // What was just being started when it was interrupted.
  for (const where of [folder, ...dataDirs])
    for (const pid of processesIn(where)) process.kill(pid, 'SIGKILL');
  member.closeAllConnections();
  member.close();
  rmSync(folder, { recursive: true, force: true });
  for (const dataDir of dataDirs) removeDataDir(dataDir);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (over === undefined) process.stderr.write('Interrupted: everything is ended and removed.\n');
    void tearDown().then(() => process.exit(130));
  });

let good = false;
try {
  await setUp();
  good = await run();
} catch (error) {
  if (over === undefined) process.stderr.write(`${String((error as Error).stack)}\n${cluster.log()}\n`);
} finally {
  await tearDown();
}
process.exit(good ? 0 : 1);
