import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { reasons } from './caller.ts';
import { TrialLoad } from './load.ts';
import { askWithout, type OutageVerdict } from './outage.ts';
import { PASSWORD, PostgresServer } from './postgres.ts';
import { ApiProxy, promotedByHand } from './proxy.ts';
import { fillStock, STOCK } from './stock.ts';
import { judge, otherFaults } from './verdict.ts';

/** npm run trial: two API nodes behind HAProxy, two workers, PostgreSQL with a replica; each part is killed, frozen and
 *  replaced under load. Prints a table, and ends with 1 when anything was lost, doubled, stuck or drifted. */

const BASE = Number(process.env.VIRGA_TEST_TRIAL_PORT ?? 27_400);
const PORTS = {
  api: BASE,
  nodes: [BASE + 1, BASE + 2],
  database: BASE + 3,
  primary: BASE + 4,
  replica: BASE + 5,
};
const SENDERS = 6;
const FROZEN_MS = 6000;
const AWAY_MS = 3000;
/** Events to be tried, by a regular expression. Default: all. */
const ONLY = new RegExp(process.env.VIRGA_TEST_TRIAL_ONLY ?? '');
/** An event is watched for this long after it is over. */
const AFTER_MS = 5000;
/** Without the database, a call is refused in less, and no node says that it is ready after this time. */
const LONGEST_REFUSAL_MS = 1000;
const STILL_READY_MS = 2000;
/** Longer without a creation that finishes counts as not recovered yet. */
const PAUSE_MS = 1000;

interface TrialEvent {
  readonly name: string;
  readonly since: number;
  until: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'virga-trial-'));
// PostgreSQL has an account of its own, which has to get there.
chmodSync(folder, 0o711);
const dataDirs = [newDataDir(), newDataDir()] as const;
const events: TrialEvent[] = [];
/** What nodes said while they had no database. */
const outages = new Map<string, OutageVerdict>();
const env = {
  DATABASE_URL: `postgresql://trial:${PASSWORD}@127.0.0.1:${PORTS.database}/virga`,
  VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  VIRGA_TIME_SCALE: '0',
  VIRGA_TRUSTED_PROXIES: '127.0.0.1',
  VIRGA_ACCESS_LOG: 'off',
  // To measure what another drain costs.
  ...(process.env.VIRGA_TEST_TRIAL_DRAIN && { VIRGA_DRAIN_SECONDS: process.env.VIRGA_TEST_TRIAL_DRAIN }),
};

/** A process that can be started again as it was. */
class Member {
  readonly #start: () => Promise<VirgaProcess>;
  process: VirgaProcess | undefined;

  constructor(role: 'api' | 'worker', port: number) {
    const probes = role === 'worker' ? { VIRGA_PROBE_PORT: String(port) } : { PORT: String(port) };
    const dataDir = role === 'worker' ? dataDirs[1] : dataDirs[0];
    this.#start = () => startVirga({ dataDir, env: { ...env, ...probes }, args: ['--role', role] });
  }

  async start(): Promise<void> {
    this.process = await this.#start();
  }

  async replace(how: NodeJS.Signals): Promise<void> {
    await this.process?.end(how);
    await this.start();
  }

  async freeze(): Promise<void> {
    const { pid = 0 } = this.process ?? {};
    process.kill(pid, 'SIGSTOP');
    await delay(FROZEN_MS);
    process.kill(pid, 'SIGCONT');
  }
}

const apis = PORTS.nodes.map((port) => new Member('api', port));
const workers = [BASE + 6, BASE + 7].map((port) => new Member('worker', port));
const [api1, api2] = apis as [Member, Member];
const [worker1, worker2] = workers as [Member, Member];
const primary = await PostgresServer.create(folder, PORTS.primary);
const replica = primary.replicate(path.join(folder, 'replica'), PORTS.replica);
const proxy = new ApiProxy(folder, {
  api: PORTS.api,
  nodes: PORTS.nodes,
  database: PORTS.database,
  postgres: promotedByHand(PORTS.primary, PORTS.replica),
});
const load = new TrialLoad(`http://127.0.0.1:${PORTS.api}`);

const TRIALS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['nothing', async () => delay(AFTER_MS)],
  ['an API node is killed and replaced', () => api1.replace('SIGKILL')],
  ['an API node is frozen for 6 s', () => api2.freeze()],
  ['a worker is killed and replaced', () => worker1.replace('SIGKILL')],
  ['a worker is frozen for 6 s', () => worker2.freeze()],
  [
    'both workers are killed and replaced',
    () => Promise.all(workers.map((worker) => worker.replace('SIGKILL'))),
  ],
  ['the proxy is killed and replaced', () => proxy.end('SIGKILL').then(() => proxy.start())],
  ['the proxy is frozen for 6 s', () => proxy.freeze(FROZEN_MS)],
  ['rolling restart of all four', () => rollingRestart()],
  ['the replica is killed, and started again after 3 s', () => restart(replica)],
  ['the replica is frozen for 6 s', () => freeze(replica)],
  ['PostgreSQL is frozen for 6 s', () => freezePostgres()],
  ['PostgreSQL is killed, and started again after 3 s', () => killPostgres()],
  ['fail-over: PostgreSQL is killed, the replica promoted', () => failOver()],
];

async function rollingRestart(): Promise<void> {
  for (const node of [...apis, ...workers]) {
    await node.replace('SIGTERM');
    await delay(1500);
  }
}

/** Asks the nodes for as long as the database is away. */
async function without<T>(event: string, away: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const nodes = apis.flatMap(({ process }) => process?.url ?? []);
  const verdict = askWithout(nodes, over.signal);
  try {
    return await away();
  } finally {
    over.abort();
    outages.set(event, await verdict);
  }
}

async function freeze(server: PostgresServer, meanwhile = () => delay(FROZEN_MS)): Promise<void> {
  server.signal('SIGSTOP');
  await meanwhile();
  server.signal('SIGCONT');
}

async function restart(server: PostgresServer, meanwhile = () => delay(AWAY_MS)): Promise<void> {
  await server.end('SIGKILL');
  await meanwhile();
  await server.start();
}

const freezePostgres = () => freeze(primary, () => without('PostgreSQL is frozen', () => delay(FROZEN_MS)));
const killPostgres = () => restart(primary, () => without('PostgreSQL is dead', () => delay(AWAY_MS)));

async function failOver(): Promise<void> {
  await primary.end('SIGKILL');
  await replica.promote();
}

async function setUp(): Promise<void> {
  await Promise.all([primary.start(), replica.start()]);
  await primary.query('create database virga');
  await proxy.start();
  await api1.start();
  await Promise.all([api2, ...workers].map((node) => node.start()));
  if (STOCK === 0) return;
  const { body } = await load.call('POST', '/cloud/v1/projects', { name: 'stock' });
  await fillStock(primary, body.id);
}

async function run(): Promise<boolean> {
  load.start(SENDERS);
  await waitUntil(() => load.finished.length >= SENDERS, { what: 'the first creations' });
  for (const [name, trial] of TRIALS.filter(([name]) => ONLY.test(name))) {
    const event: TrialEvent = { name, since: performance.now(), until: 0 };
    await trial();
    const over = performance.now();
    await waitUntil(() => load.finished.some((at) => at > over), { what: `a creation after: ${name}` });
    await delay(AFTER_MS);
    event.until = performance.now();
    events.push(event);
  }
  await load.stop();
  const database = ONLY.test('fail-over') ? replica : primary;
  const query = (text: string) => database.query(text, 'virga');
  const unended = 'select 1 from tasks where finished_at is null';
  await waitUntil(async () => (await query(unended)).length === 0, { what: 'all tasks to end' }).catch(
    () => {},
  );
  return report(await judge(query), await otherFaults(load, query));
}

const COLUMNS = 'requests failed acknowledged recovered lost doubled stuck drifted'.split(' ');

const say = (line: string) => process.stdout.write(`${line}\n`);

function report(verdictOf: Awaited<ReturnType<typeof judge>>, others: readonly string[]): boolean {
  say(`| event | ${COLUMNS.join(' | ')} |`);
  say(`|---|${COLUMNS.map(() => '---|').join('')}`);
  let good = others.length === 0;
  const whys: string[] = [];
  for (const event of events) {
    const within = <T extends { at: number }>(all: readonly T[]) =>
      all.filter(({ at }) => at >= event.since && at < event.until);
    const requests = within(load.requests);
    const failed = requests.filter((each) => each.failed).length;
    const made = within(load.acknowledged);
    const { lost, doubled, stuck, drifted } = verdictOf(made);
    if (lost + doubled + stuck + drifted > 0) good = false;
    const figures = [requests.length, failed, made.length, recovery(event), lost, doubled, stuck, drifted];
    say(`| ${event.name} | ${figures.join(' | ')} |`);
    for (const [why, count] of reasons(requests)) whys.push(`${event.name}: ${count} times ${why}`);
  }
  for (const why of whys) say(why);
  if (!reportOutages()) good = false;
  for (const fault of others) say(`not as it should be: ${fault}`);
  return good;
}

/** @returns whether every call without the database was answered 503 with Retry-After, and soon, and readiness failed */
function reportOutages(): boolean {
  if (outages.size > 0) {
    say('| without the database | calls | not 503 with Retry-After | slowest | no node was ready after |');
    say('|---|---|---|---|---|');
  }
  for (const [name, { calls, otherwise, slowestMs, notReadyAfterMs }] of outages) {
    const figures = [
      calls,
      otherwise.length,
      ...[slowestMs, notReadyAfterMs].map((ms) => `${Math.round(ms)} ms`),
    ];
    say(`| ${name} | ${figures.join(' | ')} |`);
    for (const wrong of otherwise) say(`without the database: ${wrong}`);
  }
  return [...outages.values()].every(
    ({ otherwise, slowestMs, notReadyAfterMs }) =>
      otherwise.length === 0 && slowestMs < LONGEST_REFUSAL_MS && notReadyAfterMs < STILL_READY_MS,
  );
}

/** From the beginning of an event to the end of its last failed request and of its last pause without a creation that
 *  finished. */
function recovery({ since, until }: TrialEvent): string {
  const failures = load.requests
    .filter(({ at, failed }) => failed && at >= since && at < until)
    .map(({ at }) => at);
  const finished = load.finished.filter((at) => at >= since && at < until);
  const pauses = finished.filter((at, i) => at - (finished[i - 1] ?? since) > PAUSE_MS);
  const last = Math.max(since, ...failures, ...pauses);
  return last === since ? 'at once' : `${((last - since) / 1000).toFixed(1)} s`;
}

async function tearDown(): Promise<void> {
  await Promise.all([...workers, ...apis].map((node) => node.process?.end('SIGTERM')));
  await proxy.end('SIGKILL');
  await Promise.all([primary.end('SIGKILL'), replica.end('SIGKILL')]);
  rmSync(folder, { recursive: true, force: true });
  for (const dataDir of dataDirs) removeDataDir(dataDir);
}

let good = false;
try {
  await setUp();
  good = await run();
} finally {
  await tearDown();
}
process.exit(good ? 0 : 1);
