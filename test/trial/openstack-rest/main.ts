import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { rootFolder, stateFolder } from '../../../scripts/openstack/place.mjs';
import { processesOf } from '../../../scripts/openstack/processes.mjs';
import { KEY_BYTES } from '../../../server/src/platform/secrets/cipher.ts';
import { queryOf } from '../../chaos/database-faults.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../harness/process.ts';
import { waitUntil } from '../../harness/wait.ts';
import { access, administrator, behind, cloudSettings } from '../../openstack/calls.ts';
import { Caller } from '../caller.ts';
import { expected } from '../tenants/tenant.ts';
import { copyBalancer } from './copies.ts';
import { REPAIRS } from './repairs.ts';

/** npm run trial -- openstack-rest: load balancers of a region on OpenStack while nobody asks for anything: what looking
 *  at them costs, and how long it takes until what somebody has changed there by hand is as it was. */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    // No more are made after this time: the others are copies.
    minutes: { type: 'string', default: '5' },
    watched: { type: 'string', default: '180' },
    // How often each thing is done by hand.
    times: { type: 'string', default: '3' },
  },
});
const [COUNT, MINUTES, WATCHED_S, TIMES] = [values.count, values.minutes, values.watched, values.times].map(
  Number,
) as [number, number, number, number];
const REGION = 7;
const LBS = `/cloud/v1/loadbalancers/1/${REGION}`;
const AT_ONCE = 8;
const MACHINES = 5;
const LOOK_MS = 15_000;
const TICKS_A_SECOND = 100;
const CALLS = 'virga_region_cloud_calls_total';
const FAILURES = 'virga_region_cloud_failures_total';
const say = (line: string) => process.stdout.write(`${line}\n`);

if (!access) {
  process.stderr.write('No OpenStack runs here: npm run openstack -- up starts one.\n');
  process.exit(2);
}
const { loadbalancers } = await behind('load-balancer', 'GET', '/loadbalancers?limit=1');
if (loadbalancers.length > 0) {
  process.stderr.write('It has load balancers already: run npm run openstack -- down, then -- up.\n');
  process.exit(2);
}

const dataDir = newDataDir();
const key = randomBytes(KEY_BYTES);
const regions = path.join(dataDir, 'regions.json');
const { instances, volumes, ...balancing } = cloudSettings('amphora', key);
const machines = instances && volumes ? { instances, volumes } : undefined;

/** What of the cloud the region has. */
function offer(settings: object): void {
  const entry = { id: REGION, name: 'Cloud', provider: 'openstack', settings };
  writeFileSync(regions, JSON.stringify({ regions: [entry] }));
}
let node: VirgaProcess | undefined;

async function start(settings: object = balancing): Promise<Caller> {
  offer(settings);
  node = await startVirga({
    dataDir,
    env: {
      VIRGA_REGIONS: regions,
      VIRGA_MASTER_KEY: key.toString('base64'),
      VIRGA_RATE_LIMIT: '0',
      VIRGA_ACCESS_LOG: 'off',
    },
  });
  return new Caller(node.url);
}

function operatorToken(): string {
  const text = readFileSync(path.join(dataDir, 'credentials'), 'utf8');
  return /^OPERATOR_TOKEN=(.*)$/m.exec(text)?.[1] ?? '';
}

/** Processor time so far, of the cloud and of Virga, in seconds. */
function secondsUsed(): { cloud: number; virga: number } {
  const of = (pid: number) => {
    if (!existsSync(`/proc/${pid}/stat`)) return 0;
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  };
  const cloud = processesOf(stateFolder(rootFolder())).map(of);
  return { cloud: cloud.reduce((sum, each) => sum + each, 0), virga: of(node?.pid ?? 0) };
}

async function counted(name: string): Promise<number> {
  const headers = { authorization: `APIKey ${operatorToken()}` };
  const answer = await fetch(`${node?.url}/metrics`, { headers });
  const found = new RegExp(`^${name}\\{region="${REGION}"\\} (\\d+)$`, 'm').exec(await answer.text());
  return Number(found?.[1]);
}

const FRONT = {
  name: 'front',
  protocol: 'HTTP',
  protocol_port: 80,
  normalize_path: false,
  pools: [
    {
      name: 'servers',
      protocol: 'HTTP',
      lb_algorithm: 'ROUND_ROBIN',
      members: [{ address: '10.78.255.1', protocol_port: 8080 }],
    },
  ],
};

/** @returns the ids of those that were made when the time was up */
async function fill(as: Caller): Promise<readonly string[]> {
  const until = performance.now() + MINUTES * 60_000;
  const made: string[] = [];
  let begun = 0;
  const one = async () => {
    while (begun < COUNT && performance.now() < until) {
      const body = { name: `rest-${begun++}`, listeners: [FRONT] };
      const task = await as.ended(await as.call('POST', LBS, body));
      if (task.state !== 'FINISHED') throw new Error(`the creation ended with ${task.error}`);
      made.push(task.created_resources.loadbalancers[0]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return made;
}

/** Load balancers as many as are to be there, and the node started anew: one that has just made them need not look at
 *  them. @returns the ids of those that were made by the API */
async function setUp(projectId: string): Promise<readonly string[]> {
  const as = await start();
  await administrator('network', 'PUT', `/quotas/${projectId}`, { quota: { port: -1 } });
  const limits = { region_id: REGION, loadbalancer_count_limit: COUNT };
  const operator = new Caller(node?.url ?? '', operatorToken());
  expected(await operator.call('PATCH', '/virga/v1/clients/1/quotas', { regional_limits: [limits] }), 200);
  const began = performance.now();
  const made = await fill(as);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const copies = COUNT - made.length;
  say(
    `${made.length} load balancers were made in ${minutes} minutes, ${AT_ONCE} at once; ${copies} are copies.`,
  );
  const [template] = made;
  if (template === undefined) throw new Error('no load balancer was made in time');
  if (copies > 0) await copyBalancer(queryOf(dataDir), template, copies);
  await node?.end('SIGTERM');
  await start();
  return made;
}

async function atRest(what = 'at rest'): Promise<void> {
  await waitUntil(async () => (await counted(CALLS)) > 0, { what: 'the first look', intervalMs: 500 });
  await delay(2 * LOOK_MS);
  const measured = async () => ({
    calls: await counted(CALLS),
    failures: await counted(FAILURES),
    seconds: secondsUsed(),
  });
  const before = await measured();
  await delay(WATCHED_S * 1000);
  const after = await measured();
  const aMinute = (from: number, to: number) => ((to - from) / WATCHED_S) * 60;
  say(`\n| ${what} | a minute |\n|---|---|`);
  say(`| calls | ${Math.round(aMinute(before.calls, after.calls))} |`);
  say(`| calls without an answer | ${Math.round(aMinute(before.failures, after.failures))} |`);
  say(`| processor time of the cloud | ${aMinute(before.seconds.cloud, after.seconds.cloud).toFixed(1)} s |`);
  say(`| processor time of Virga | ${aMinute(before.seconds.virga, after.seconds.virga).toFixed(1)} s |`);
}

async function byHand(ids: readonly string[]): Promise<void> {
  say('\n| by hand in the cloud | repaired after | at most |\n|---|---|---|');
  const rest = [...ids];
  for (const [what, breakAndWait] of REPAIRS) {
    const seconds: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const id = rest.shift();
      if (id === undefined) throw new Error(`too few load balancers were made: ${ids.length}`);
      await delay(Math.random() * LOOK_MS);
      seconds.push((await breakAndWait(id)) / 1000);
    }
    seconds.sort((one, other) => one - other);
    const middle = seconds[Math.floor(seconds.length / 2)] ?? 0;
    say(`| ${what} | ${middle.toFixed(1)} s | ${(seconds.at(-1) ?? 0).toFixed(1)} s |`);
  }
}

/** The same once more with machines and disks, where the cloud has them. */
async function withMachines(): Promise<void> {
  if (!machines) {
    say('\nNo compute runs here: npm run openstack -- up --with-compute starts it.');
    return;
  }
  await node?.end('SIGTERM');
  const as = await start({ ...balancing, ...machines });
  const done = async (path: string, body: object, version = 'v1') => {
    const task = await as.ended(await as.call('POST', `/cloud/${version}/${path}/1/${REGION}`, body));
    if (task.state !== 'FINISHED') throw new Error(`${path}: ${task.error}`);
    return task.created_resources;
  };
  const { results } = (await as.call('GET', `/cloud/v1/images/1/${REGION}`)).body;
  const disk = { source: 'image', image_id: results[0].id, size: 1 };
  const network = (await done('networks', { name: 'rest' })).networks[0];
  const cidr = { name: 'rest', network_id: network, cidr: '10.1.0.0/24' };
  const subnet = (await done('subnets', cidr)).subnets[0];
  for (let index = 0; index < MACHINES; index++) {
    await done('volumes', { ...disk, name: `disk-${index}` });
    const machine = {
      name: `machine-${index}`,
      flavor: Object.keys(machines.instances.flavors)[0],
      volumes: [{ ...disk, delete_on_termination: true }],
      interfaces: [{ type: 'subnet', network_id: network, subnet_id: subnet }],
    };
    await done('instances', machine, 'v2');
  }
  await atRest(`at rest with ${MACHINES} instances and ${2 * MACHINES} volumes more`);
}

async function tearDown(): Promise<void> {
  await node?.end('SIGTERM');
  removeDataDir(dataDir);
  say('\nThe load balancers are still in the cloud: npm run openstack -- down deletes them with it.');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void tearDown().then(() => process.exit(130)));

try {
  const made = await setUp(access.project_id);
  await atRest();
  await byHand(made);
  await withMachines();
} finally {
  await tearDown();
}
process.exit(0);
