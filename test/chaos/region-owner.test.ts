import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import {
  newDataDir,
  processesWith,
  removeDataDir,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** Several workers on one database, of which one at a time owns the region of real HAProxys. */

const PORT = 8088;
const LBS = '/cloud/v1/loadbalancers/1/1';
/** Nodes on one database share it. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

let database: TestDatabase;
let member: Server;
let dataDir: string;
let api: VirgaProcess;
let nodes: VirgaProcess[];
let folders: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  member = createServer((_request, response) => response.end('member'));
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  [nodes, folders] = [[], []];
  dataDir = folder();
  api = await start('api', folder());
});

afterEach(async () => {
  for (const node of nodes) signal(node, 'SIGCONT');
  // All at once: whoever of them owns the region, or is just about to, leaves nothing running.
  await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  for (const each of folders) {
    expect(processesWith(each)).toEqual([]);
    removeDataDir(each);
  }
  member.close();
  await database.drop();
});

function folder(): string {
  const made = newDataDir();
  folders.push(made);
  return made;
}

async function start(role: string, where: string, env: Record<string, string> = {}): Promise<VirgaProcess> {
  const node = await startVirga({
    dataDir: where,
    args: ['--role', role],
    env: { DATABASE_URL: database.url, VIRGA_MASTER_KEY: MASTER_KEY, VIRGA_RATE_LIMIT: '0', ...env },
  });
  nodes.push(node);
  return node;
}

function signal({ pid }: VirgaProcess, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

const member0 = () => ({ address: '127.0.0.1', protocol_port: (member.address() as AddressInfo).port });
const pool = (name: string) => ({
  name,
  protocol: 'HTTP',
  lb_algorithm: 'ROUND_ROBIN',
  members: [member0()],
});

async function create(name: string): Promise<{ id: string; vip: string }> {
  const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: PORT, pools: [pool('app')] }];
  const task = await api.ended(await api.call('POST', LBS, { name, listeners }));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  const id = task.created_resources?.loadbalancers?.[0] ?? '';
  return { id, vip: (await api.call('GET', `${LBS}/${id}`)).body.vip_address };
}

const haproxies = (where = dataDir) => processesWith(`${where}/regions`).sort();

/** Asks the load balancer again and again, until it is stopped; what went wrong meanwhile. */
function traffic(vip: string): () => Promise<{ requests: number; faults: readonly string[] }> {
  let over = false;
  let requests = 0;
  const faults: string[] = [];
  const running = (async () => {
    while (!over) {
      requests++;
      // A connection that is kept keeps the process that is being replaced.
      const headers = { connection: 'close' };
      const response = await fetch(`http://${vip}:${PORT}/`, { headers }).catch((error: Error) => error);
      const said = response instanceof Error ? response.message : await response.text();
      if (said !== 'member') faults.push(said);
    }
  })();
  return async () => {
    over = true;
    await running;
    return { requests, faults };
  };
}

/** The lease on the region. */
async function lease(): Promise<{ pid: number | null; awaited: boolean; silentFor: number }> {
  const client = new pg.Client(database.connection);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select pid, awaited_at is not null as awaited,
              extract(epoch from now() - renewed_at)::float8 as "silentFor" from region_owners`,
    );
    return rows[0] ?? { pid: null, awaited: false, silentFor: 0 };
  } finally {
    await client.end();
  }
}

const owner = async () => (await lease()).pid;

const owned = (by: VirgaProcess) =>
  waitUntil(async () => (await owner()) === by.pid, {
    what: `pid ${by.pid} to own the region`,
  });

/** Whether somebody is just changing the region's programs: then he holds a lock of the machine. */
function isChanging(): boolean {
  const folder = realpathSync(path.join(dataDir, 'regions', '1'));
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return readFileSync('/proc/net/unix', 'utf8').includes(`@virga-region-${name}`);
}

const isFrozen = ({ pid }: VirgaProcess) => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Freezes the owner in the middle of a change, or between two. */
async function freeze(node: VirgaProcess, inAChange: boolean): Promise<void> {
  await waitUntil(
    async () => {
      signal(node, 'SIGSTOP');
      await waitUntil(() => isFrozen(node), { what: 'the process to stand still', intervalMs: 1 });
      if (isChanging() === inAChange) return true;
      signal(node, 'SIGCONT');
      return false;
    },
    { what: 'the right moment to freeze', intervalMs: 3 },
  );
}

/** Every task that was acknowledged is done, and every load balancer is what they made of it. */
async function allDone(tasks: readonly string[]): Promise<void> {
  for (const id of tasks) {
    expect(await api.ended({ body: { tasks: [id] } })).toMatchObject({ state: 'FINISHED', error: null });
  }
}

test('when the owner is killed, its data planes go on, and another worker of its data directory finishes its work', async () => {
  const first = await start('worker', dataDir);
  const { vip } = await create('web');
  const second = await start('worker', dataDir);
  expect(await owner()).toBe(first.pid);
  const before = haproxies();
  const ended = traffic(vip);
  const accepted = await Promise.all(
    Array.from({ length: 6 }, (_, i) => api.call('POST', LBS, { name: `more ${i}`, listeners: [] })),
  );
  signal(first, 'SIGKILL');
  await owned(second);
  await allDone(accepted.flatMap(({ body }) => body.tasks));
  await create('afterwards');
  expect(haproxies()).toEqual(expect.arrayContaining(before));
  const { requests, faults } = await ended();
  expect(faults).toEqual([]);
  expect(requests).toBeGreaterThan(100);
});

test('an owner that froze is replaced, and touches nothing any more when it wakes up', async () => {
  const first = await start('worker', dataDir);
  const { id, vip } = await create('web');
  const second = await start('worker', dataDir);
  const ended = traffic(vip);
  await freeze(first, false);
  const body = { name: 'second', protocol: 'HTTP', protocol_port: 8089, load_balancer_id: id };
  const listener = await api.call('POST', '/cloud/v1/lblisteners/1/1', body);
  await owned(second);
  await allDone(listener.body.tasks);
  const serving = Number(
    readFileSync(path.join(dataDir, 'regions/1/load-balancers', id, 'haproxy.pid'), 'utf8'),
  );
  signal(first, 'SIGCONT');
  // It looks after its data planes every second, if it believes that they are its own.
  await waitUntil(() => /has another owner now/.test(first.output()), {
    what: 'the first worker to notice that it was replaced',
  });
  // The one before the reload ends when the worker that woke up no longer holds a connection to it.
  await waitUntil(() => haproxies().length === 1, { what: 'one HAProxy' });
  expect(haproxies()).toEqual([serving]);
  expect((await fetch(`http://${vip}:8089/`)).status).toBe(503);
  const { faults } = await ended();
  expect(faults).toEqual([]);
  // And it is good for another turn.
  signal(second, 'SIGKILL');
  await owned(first);
  await create('afterwards');
  expect(haproxies()).toContain(serving);
});

test('an owner that froze in the middle of a change is ended, and another one makes the change', async () => {
  const first = await start('worker', dataDir);
  const { vip } = await create('web');
  const second = await start('worker', dataDir);
  const before = haproxies();
  const ended = traffic(vip);
  const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: PORT, pools: [pool('app')] }];
  const accepted = await Promise.all(
    Array.from({ length: 6 }, (_, i) => api.call('POST', LBS, { name: `more ${i}`, listeners })),
  );
  await freeze(first, true);
  await owned(second);
  // It stays frozen: woken up before it is ended, it would be in nobody's way any more.
  expect(await first.end('SIGSTOP')).toBeNull();
  await allDone(accepted.flatMap(({ body }) => body.tasks));
  expect(haproxies()).toEqual(expect.arrayContaining(before));
  expect((await ended()).faults).toEqual([]);
  const { results } = (await api.call('GET', LBS)).body;
  for (const { id, vip_address } of results) {
    await waitUntil(() => processesWith(id).length === 1, { what: `one process for ${id}` });
    expect(await (await fetch(`http://${vip_address}:${PORT}/`)).text()).toBe('member');
  }
  expect(haproxies()).toHaveLength(7);
});

test('an owner that is stopped hands its data planes over to the one that stands by', async () => {
  const first = await start('worker', dataDir);
  const { vip } = await create('web');
  const second = await start('worker', dataDir);
  await waitUntil(async () => (await lease()).awaited, { what: 'the second worker to stand by' });
  const before = haproxies();
  const ended = traffic(vip);
  expect(await first.end('SIGTERM')).toBe(0);
  await owned(second);
  await create('afterwards');
  expect(haproxies()).toEqual(expect.arrayContaining(before));
  expect((await ended()).faults).toEqual([]);
  // Nobody waits for this one.
  expect(await second.end('SIGTERM')).toBe(0);
  expect(haproxies()).toEqual([]);
});

test('a region stays on its machine, whoever else is there, until the operator moves it', async () => {
  const first = await start('worker', dataDir);
  const { id, vip } = await create('web');
  const elsewhere = folder();
  const other = await start('all', elsewhere, { VIRGA_NODE: 'elsewhere' });
  const refusal = /Region Local is not served here: it belongs to node/;
  expect((await other.call('GET', '/readyz')).body.notes.join()).toMatch(refusal);
  expect(other.output()).toMatch(/region Local is not served here: it belongs to node/);
  signal(first, 'SIGSTOP');
  const waiting = await api.call('PATCH', `/cloud/v2/loadbalancers/1/1/${id}`, { admin_state_up: false });
  await waitUntil(async () => (await lease()).silentFor > 6, {
    what: 'the owner to have been silent for long',
  });
  expect(await owner()).toBe(first.pid);
  signal(first, 'SIGCONT');
  await allDone(waiting.body.tasks);
  await allDone(
    (await api.call('PATCH', `/cloud/v2/loadbalancers/1/1/${id}`, { admin_state_up: true })).body.tasks,
  );
  expect(haproxies(elsewhere)).toEqual([]);
  await other.end('SIGTERM');

  const regions = path.join(elsewhere, 'regions.json');
  const local = { id: 1, name: 'Local', provider: 'local', node: 'elsewhere' };
  writeFileSync(regions, JSON.stringify({ regions: [local] }));
  const moved = await start('all', elsewhere, { VIRGA_NODE: 'elsewhere', VIRGA_REGIONS: regions });
  await owned(moved);
  await waitUntil(async () => haproxies().length === 0 && (await fetch(`http://${vip}:${PORT}/`)).ok, {
    what: 'the data plane to have moved',
  });
  expect(haproxies(elsewhere)).toHaveLength(1);
  expect((await moved.call('GET', '/readyz')).body).toEqual({ status: 'ready' });
});
