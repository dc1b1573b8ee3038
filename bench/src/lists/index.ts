import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { MAX_SECRETS } from '../../../server/src/features/inference-secrets/service.ts';
import { addSshKeyCall, CLUSTERS, clusterBody } from '../../../test/harness/kubernetes.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../../test/harness/process.ts';
import { type Figure, median } from '../measure.ts';
import { connectionOf, tokensOf } from '../server.ts';
import { type List, listsOf } from './document.ts';
import { fill } from './fill.ts';
import { type Plan, planOf, recorded } from './plans.ts';
import { queriesOf } from './requests.ts';

/** Every list of the OpenAPI document, each filter and order alone and in common pairs, among 100,000 rows of each
 *  kind: the time of the first page with its count, and how PostgreSQL finds them. `--rows=N` for another number, `--only=TEXT,TEXT` for lists whose id has one of them, `--tables=NAME,NAME` to fill no
 *  others, `--data=DIR` to keep the rows for another run. */

const option = (name: string) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const ROWS = Number(option('rows') ?? 100_000);
const ONLY = (option('only') ?? '').split(',');
const TABLES = option('tables')?.split(',');

/** Of a page of 100 with its count; for a million rows in one project five times as long. */
const GOAL_MS = ROWS <= 100_000 ? 50 : 250;
const TRIES = 5;
/** What takes long is not asked for so often. */
const ENOUGH_MS = 1000;
const PAGE = 100;

interface Server {
  readonly url: string;
  readonly socket: string;
  readonly tokens: { readonly client: string; readonly operator: string };
  readonly client: pg.Client;
}

export async function benchLists(): Promise<Figure[]> {
  const kept = option('data');
  const dataDir = kept ?? newDataDir();
  mkdirSync(dataDir, { recursive: true });
  const socket = path.join(dataDir, 'recorder');
  const recorder = pathToFileURL(path.join(import.meta.dirname, 'recorder.mjs')).href;
  const env = { VIRGA_TIME_SCALE: '0', VIRGA_RATE_LIMIT: '0' };
  // Once with workers, for what they prepare; what is measured has the API alone, so that nothing else is noted.
  if (!existsSync(filledFile(dataDir))) {
    const first = await startVirga({ dataDir, env });
    try {
      await createCluster(first);
      await createSecrets(first);
      await fillOnce(dataDir);
    } finally {
      await first.end('SIGTERM');
    }
  }
  const noting = { ...env, VIRGA_TEST_RECORDER: socket, NODE_OPTIONS: `--import ${recorder}` };
  rmSync(socket, { force: true });
  const virga = await startVirga({ dataDir, env: noting, args: ['--role=api'] });
  const client = new pg.Client(connectionOf(dataDir));
  await client.connect();
  try {
    const tokens = tokensOf(dataDir);
    const lists = listsOf((await virga.call('GET', '/openapi.json')).body);
    const server = { url: virga.url, socket, tokens, client };
    const figures: Figure[] = [];
    for (const list of lists.filter(({ id }) => ONLY.some((part) => id.includes(part))))
      figures.push(...(await measure(server, list).catch(notRequested(list))));
    return figures;
  } finally {
    await client.end();
    await virga.end('SIGTERM');
    if (kept === undefined) removeDataDir(dataDir);
  }
}

/** Clusters and their parts have lists of their own; a project has few. */
async function createCluster(virga: VirgaProcess): Promise<void> {
  const { method, path: keys, body } = addSshKeyCall;
  await virga.call(method, keys, body);
  const task = await virga.ended(await virga.call('POST', CLUSTERS, clusterBody('bench')));
  if (task.state !== 'FINISHED') throw new Error(`the cluster was not created: ${task.error}`);
}

/** Only the server can seal their values. */
async function createSecrets(virga: VirgaProcess): Promise<void> {
  for (let i = 0; i < Math.min(ROWS, MAX_SECRETS); i++) {
    const body = {
      name: `secret-${i}`,
      type: 'aws-iam',
      data: { aws_access_key_id: 'A', aws_secret_access_key: 'B' },
    };
    const { status } = await virga.call('POST', '/cloud/v3/inference/1/secrets', body);
    if (status >= 300) throw new Error(`an inference secret was not created: ${status}`);
  }
}

/** What cannot be asked is said with the rest, at the end. */
const notRequested =
  ({ id }: List) =>
  (error: Error): Figure[] => [
    { what: id, value: 'not asked', goal: '', broken: `${id} could not be asked: ${error.message}` },
  ];

const filledFile = (dataDir: string) => path.join(dataDir, 'filled');

async function fillOnce(dataDir: string): Promise<void> {
  const client = new pg.Client(connectionOf(dataDir));
  await client.connect();
  try {
    await fill(client, { rows: ROWS, tables: TABLES, say: (text) => console.error(`lists: ${text}`) });
  } finally {
    await client.end();
  }
  writeFileSync(filledFile(dataDir), String(ROWS));
}

async function measure(server: Server, list: List): Promise<Figure[]> {
  const scope = await scopeOf(server, list);
  const first = await ask(server, list, `${scope}?${list.paged ? 'limit=1' : ''}`);
  const queries = queriesOf(list, rowsOf(first));
  const targetOf = (query: string) => (limit: number) =>
    `${scope}?${list.paged ? `limit=${limit}&` : ''}${query}`;
  const figures: Figure[] = [];
  for (const query of queries) {
    const target = targetOf(query);
    const page = await timed(() => ask(server, list, target(PAGE)));
    const plan = await planned(server, list, target(PAGE));
    figures.push(figureOf(list, query, { page, plan }));
  }
  const broken = figures.flatMap((figure) => figure.broken ?? []);
  console.error(`lists: ${list.id}, ${figures.length} queries, ${broken.length} too slow`);
  for (const why of broken) console.error(`  ${why}`);
  return figures;
}

/** What the statements of a request read. */
async function planned(server: Server, list: List, target: string): Promise<Plan> {
  await recorded(server.socket);
  await ask(server, list, target);
  return planOf(server.client, await recorded(server.socket));
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of any list
const rowsOf = (answer: any): readonly any[] =>
  Array.isArray(answer) ? answer : (answer.results ?? answer.result ?? []);

function figureOf(list: List, query: string, { page, plan }: { page: number; plan: Plan }): Figure {
  const what = `${list.id} ${decodeURIComponent(query)}`.trim();
  const figure = {
    what: `${what}: ${plan.scans}`,
    value: `${page.toFixed(1)} ms, ${plan.read} rows read`,
    goal: list.paged ? `≤ ${GOAL_MS} ms` : '-',
  };
  if (page <= GOAL_MS || !list.paged) return figure;
  return { ...figure, broken: `${what}: ${page.toFixed(1)} ms, ${plan.read} rows read, ${plan.scans}` };
}

/** Median milliseconds, after one that warms up. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const begin = performance.now();
  for (let i = 0; i <= TRIES; i++) {
    const start = performance.now();
    await work();
    if (i > 0) times.push(performance.now() - start);
    if (i > 0 && performance.now() - begin > ENOUGH_MS) break;
  }
  return median(times);
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of any list
async function ask({ url, tokens }: Server, { operator }: List, target: string): Promise<any> {
  const token = operator ? tokens.operator : tokens.client;
  const response = await fetch(`${url}${target}`, { headers: { authorization: `APIKey ${token}` } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`GET ${target}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const OWN: Readonly<Record<string, string>> = { project_id: '1', region_id: '2', clientId: '1' };

/** Things that a list is of, by the word of its path: which one is asked about. */
const PARENTS: Readonly<Record<string, string>> = {
  volume_id: 'select id from volumes limit 1',
  group_id:
    'select id from security_groups where project_id = 1 and region_id = 2 and not is_default limit 1',
  image_id: 'select id from images where project_id = 1 limit 1',
  instance_id: 'select device_id as id from ports where device_type = $$instance$$ limit 1',
  load_balancer_id: 'select id from load_balancers limit 1',
  pool_id: 'select pool_id as id from lb_members limit 1',
  l7policy_id: 'select policy_id as id from lb_l7_rules limit 1',
  floating_ip_id: 'select id from floating_ips limit 1',
  network_id: 'select network_id as id from ports group by 1 having count(*) between 1 and 9 limit 1',
  subnet_id: 'select id from subnets where project_id = 1 limit 1',
  port_id: 'select port_id as id from reserved_fixed_ips limit 1',
  // The cluster of the first pool.
  cluster_name:
    'select c.name as id from k8s_pools p join k8s_clusters c on c.id = p.cluster_id order by p.id limit 1',
  task_id: 'select id from tasks limit 1',
  storage_id: 'select id from object_storages order by id limit 1',
  pool_name: 'select name as id from k8s_pools order by id limit 1',
};

/** The path of a list.
 *  @throws when the bench does not know what it is a list of */
async function scopeOf({ client }: Server, { id, path: template, inPath }: List): Promise<string> {
  let scope = template;
  for (const name of inPath) {
    const [parent] = OWN[name]
      ? [{ id: OWN[name] }]
      : (await client.query(PARENTS[name] ?? 'select 1 where false')).rows;
    if (!parent) throw new Error(`lists: say in index.ts which ${name} ${id} is to be asked about`);
    scope = scope.replace(`{${name}}`, encodeURIComponent(parent.id));
  }
  return scope;
}
