import { statSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareVersions } from '../../server/src/platform/database/versions.ts';
import { startBackend } from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { createEmptyDatabase, type TestDatabase } from '../harness/database.ts';
import {
  API_KEY,
  newDataDir,
  processesWith,
  removeDataDir,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { type OlderNode, startOlderNode, unpackLastRelease } from './older-node.ts';

/** A node of the last release is at work while the next one upgrades the database under it, and afterwards. */

const release = unpackLastRelease();
const dataDirs = [newDataDir(), newDataDir()] as const;
let database: TestDatabase;
let older: OlderNode;
let newer: VirgaProcess | undefined;

const env = (dataDir: string) => ({
  DATABASE_URL: database.url,
  VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  VIRGA_API_KEY: API_KEY,
  VIRGA_DATA_DIR: dataDir,
  VIRGA_TIME_SCALE: '0',
  LOG_LEVEL: 'warn',
  VIRGA_NODE: 'machine',
});

beforeAll(async () => {
  database = await createEmptyDatabase();
  older = await startOlderNode(release.program, env(dataDirs[0]));
});

afterAll(async () => {
  await newer?.end('SIGINT');
  await older?.end();
  await database?.drop();
  release.remove();
  for (const dataDir of dataDirs) removeDataDir(dataDir);
});

test('a node of the last release goes on without a fault while the database is upgraded, and afterwards', async () => {
  const load = new Load(older.url);
  load.start();
  await waitUntil(() => load.lives >= 2, { what: 'a life in the database of old' });
  newer = await startVirga({ dataDir: dataDirs[1], env: env(dataDirs[1]) });
  const upgraded = load.lives;
  await waitUntil(() => load.lives >= upgraded + 2, { what: 'a life in the upgraded database' });
  await load.stop();
  expect(load.faults).toEqual([]);
  // What each has made, the other serves.
  const made = new Load(newer.url);
  expect(await made.live()).toBeUndefined();
  expect(await readAll(older.url)).toEqual([]);
  expect(await readAll(newer.url)).toEqual([]);
  expect(older.complaints()).toEqual([]);
});

test('a subnet shows as free what nodes of both releases have left free', async () => {
  const [first, second] = [new Load(older.url), new Load(newer?.url ?? '')];
  const network = await first.create('networks', '/cloud/v1/networks/1/2', { name: 'counted' });
  const subnet = await first.create('subnets', '/cloud/v1/subnets/1/2', {
    name: 'counted',
    network_id: network,
    cidr: '10.77.0.0/24',
  });
  const available = async () => {
    const list = await second.call(
      'GET',
      `/cloud/v1/subnets/1/2?network_id=${network}&order_by=available_ips.asc`,
    );
    return list.results.map((row: { available_ips: number }) => row.available_ips);
  };
  // The router has the gateway's address, which is none that could be given.
  expect(await available()).toEqual([253]);
  const inSubnet = { name: 'web', vip_network_id: network, vip_subnet_id: subnet };
  const lb = await first.create('loadbalancers', '/cloud/v1/loadbalancers/1/2', inSubnet);
  expect(await available()).toEqual([252]);
  const another = await second.create('loadbalancers', '/cloud/v1/loadbalancers/1/2', inSubnet);
  expect(await available()).toEqual([251]);
  await first.remove(`/cloud/v1/loadbalancers/1/2/${another}`);
  await second.remove(`/cloud/v1/loadbalancers/1/2/${lb}`);
  expect(await available()).toEqual([253]);
});

test('no migration asks for more than the last release, which is still at work', async () => {
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query('select needs, migrated_by from database_version');
  await client.end();
  expect(compareVersions(rows[0].needs, release.version)).toBeLessThanOrEqual(0);
});

test('after a rollback the last release works with a database that its successor has upgraded', async () => {
  const made = await createEmptyDatabase();
  const dataDir = newDataDir();
  const settings = { ...env(dataDir), DATABASE_URL: made.url };
  try {
    await (await startOlderNode(release.program, settings)).end();
    const successor = await startVirga({ dataDir, env: settings });
    const fault = await new Load(successor.url).live();
    await successor.end('SIGTERM');
    expect(fault).toBeUndefined();
    const back = await startOlderNode(release.program, settings);
    const faults = [await new Load(back.url).live(), await readAll(back.url)];
    await back.end();
    expect([faults, back.complaints()]).toEqual([[undefined, []], []]);
  } finally {
    await made.drop();
    removeDataDir(dataDir);
  }
});

test.runIf(process.getuid?.() === 0)(
  'a load balancer that the last release left running gets an account of its own, and loses no request',
  async () => {
    const made = await createEmptyDatabase();
    const dataDir = newDataDir();
    const settings = { ...env(dataDir), DATABASE_URL: made.url, VIRGA_ON_SIGTERM: 'leave' };
    const backend = await startBackend('served');
    try {
      const old = await startOlderNode(release.program, settings);
      const load = new Load(old.url);
      const at = '/cloud/v1/loadbalancers/1/1';
      const members = [{ address: '127.0.0.1', protocol_port: backend.port }];
      const pools = [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members }];
      const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: 8080, pools }];
      const id = await load.create('loadbalancers', at, { name: 'web', listeners });
      const shown = await fetch(`${old.url}${at}/${id}`, { headers });
      const { vip_address: vip } = (await shown.json()) as { vip_address: string };
      const traffic = startLoad(`http://${vip}:8080/`);
      const uids = () => processesWith(id).map((pid) => statSync(`/proc/${pid}`).uid);
      const before = uids();
      await old.end();
      const next = await startVirga({ dataDir, env: settings });
      const changed = () => !uids().some((uid) => before.includes(uid)) && uids().length > 0;
      await waitUntil(changed, { what: 'its process to have another account' }).finally(() =>
        next.end('SIGTERM'),
      );
      const { requests, failures } = await traffic.stop();
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(0);
    } finally {
      await (await startVirga({ dataDir, env: settings })).end('SIGINT');
      await backend.kill();
      await made.drop();
      removeDataDir(dataDir);
    }
  },
);

const headers = { authorization: `APIKey ${API_KEY}` };

/** Lives of resources, one after the other. */
class Load {
  readonly #url: string;
  readonly faults: string[] = [];
  lives = 0;
  #running: Promise<void> | undefined;
  #stopping = false;

  constructor(url: string) {
    this.#url = url;
  }

  start(): void {
    this.#running = (async () => {
      while (!this.#stopping) {
        const fault = await this.live();
        if (fault) this.faults.push(fault);
        this.lives += 1;
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** @returns what went wrong */
  async live(): Promise<string | undefined> {
    try {
      for (const [kind, path, body] of CREATIONS) {
        const id = await this.create(kind, path, body);
        await this.call('GET', `${path}/${id}`);
        await this.remove(`${path}/${id}`);
      }
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** @returns its id */
  async create(kind: string, path: string, body: object): Promise<string> {
    const answer = await this.call('POST', path, body);
    return (await this.#ended(answer.tasks[0])).created_resources[kind]?.[0] ?? '';
  }

  async remove(path: string): Promise<void> {
    const { tasks = [] } = await this.call('DELETE', path);
    if (tasks[0]) await this.#ended(tasks[0]);
  }

  async #ended(task: string): Promise<{ created_resources: Record<string, string[]> }> {
    for (;;) {
      const answer = await this.call('GET', `/cloud/v1/tasks/${task}?wait=30`);
      if (answer.state === 'FINISHED') return answer;
      if (answer.state === 'ERROR') throw new Error(`${answer.task_type}: ${answer.error}`);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async call(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }
}

const LISTENER = { name: 'http', protocol: 'HTTP', protocol_port: 80 };
const CREATIONS: readonly (readonly [string, string, object])[] = [
  ['loadbalancers', '/cloud/v1/loadbalancers/1/2', { name: 'web', listeners: [LISTENER] }],
  ['networks', '/cloud/v1/networks/1/2', { name: 'net', create_router: false }],
  ['ports', '/cloud/v1/reserved_fixed_ips/1/2', { type: 'external' }],
  ['volumes', '/cloud/v1/volumes/1/2', { source: 'new-volume', name: 'disk', size: 1 }],
];

/** Reads every list of its own document.
 *  @returns those that the server could not answer */
async function readAll(url: string): Promise<string[]> {
  const document = (await (await fetch(`${url}/docs/json`)).json()) as { paths: object };
  const paths = Object.entries<{ get?: unknown }>({ ...document.paths })
    .filter(([, { get }]) => get !== undefined)
    .map(([path]) =>
      path
        .replaceAll('{project_id}', '1')
        .replaceAll('{region_id}', '2')
        .replace(/\{client_?[iI]d\}/, '1'),
    )
    .filter((path) => !path.includes('{') && !path.includes('stream'));
  expect(paths.length).toBeGreaterThan(30);
  const faults: string[] = [];
  for (const path of paths) {
    const response = await fetch(`${url}${path}`, { headers });
    await response.body?.cancel();
    if (response.status >= 500) faults.push(`${path}: ${response.status}`);
  }
  return faults;
}
