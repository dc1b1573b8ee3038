import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { allPids, commandLine } from '../../server/src/kernel/processes.ts';
import { pathsOf } from '../../server/src/providers/local/postgresql/paths.ts';
import { Pooler } from '../../server/src/providers/local/postgresql/pooler.ts';
import { Server } from '../../server/src/providers/local/postgresql/server.ts';
import { type LocalClusters, session, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';

/** The pooler of a cluster, which is PgBouncer. */

const engines = new Engines({ folders: [shelf()] });
await engines.look(['pgbouncer']);
const fault = engines.faultOf('pgbouncer');
const port = 6432;
let clusters: LocalClusters;
let cluster: DesiredCluster;
let stopKeeping: () => Promise<void> = async () => undefined;

const poolers = () => allPids().filter((pid) => commandLine(pid).some((word) => word.includes(ini())));
const ini = () => path.join(clusters.root, cluster.id, 'pooler', 'pgbouncer.ini');
const pooled = async (text: string, options: pg.ClientConfig = {}) => {
  const client = await session(cluster, { port, ...options });
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};

beforeAll(async () => {
  clusters = await startLocalClusters();
});

afterAll(async () => {
  await stopKeeping();
  await clusters.close();
});

test.runIf(fault !== undefined)(`without PgBouncer there is no pooler (${fault})`, async () => {
  expect((await clusters.provider.offer()).noPooler).toContain('npm run engines -- install pgbouncer');
});

test.skipIf(fault !== undefined)('many clients share few connections; all come over TLS', async () => {
  cluster = await clusters.create({ pooler: 'transaction', replication: 'sync' });
  stopKeeping = clusters.keep(cluster);
  const clients = await Promise.all(Array.from({ length: 120 }, () => session(cluster, { port })));
  const pids = await Promise.all(
    clients.map(async (client) => (await client.query('select pg_backend_pid() as pid')).rows[0]?.pid),
  );
  expect(new Set(pids).size).toBeLessThan(50);
  await Promise.all(clients.map((client) => client.end()));
  await expect(pooled('select 1', { password: 'wrong' })).rejects.toThrow('SASL authentication failed');
  await expect(pooled('select 1', { ssl: false })).rejects.toThrow();
  await expect(pooled('select 1', { user: 'virga_admin' })).rejects.toThrow();
});

test.skipIf(fault !== undefined)(
  'clients that share connections keep their prepared statements',
  async () => {
    const clients = await Promise.all(Array.from({ length: 60 }, () => session(cluster, { port })));
    const ask = (client: pg.Client, i: number) =>
      client.query({
        name: 'sum',
        text: 'select $1::int + $2::int as sum, pg_backend_pid() as pid',
        values: [i, 1],
      });
    const pids = new Set<number>();
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all(clients.map(ask));
      expect(answers.map(({ rows }) => rows[0].sum)).toEqual(clients.map((_, i) => i + 1));
      for (const { rows } of answers) pids.add(rows[0].pid);
    }
    expect([pids.size > 1, pids.size < clients.length]).toEqual([true, true]);
    await Promise.all(clients.map((client) => client.end()));
  },
);

test.skipIf(fault !== undefined)(
  'a session begins with what it asks for, or is refused by its name',
  async () => {
    const zone = 'show timezone';
    expect(await pooled(zone, { options: '-c timezone=Asia/Tokyo' })).toEqual([{ TimeZone: 'Asia/Tokyo' }]);
    expect(await pooled(zone, { options: '-c extra_float_digits=3' })).toHaveLength(1);
    const refused = (options: pg.ClientConfig) => expect(pooled(zone, options)).rejects;
    const inOptions = 'unsupported startup parameter in options: ';
    await refused({ options: '-c statement_timeout=5s' }).toThrow(`${inOptions}statement_timeout`);
    await refused({ options: '-c search_path=other' }).toThrow(`${inOptions}search_path`);
    await refused({ options: '-W 1' }).toThrow("only '-c config=val' and '--config=val' are allowed");
    await refused({ statement_timeout: 5_000 }).toThrow('unsupported startup parameter: statement_timeout');
    await refused({ lock_timeout: 5_000 }).toThrow('unsupported startup parameter: lock_timeout');
  },
);

test.skipIf(fault !== undefined)('a password that was changed with SQL counts there, too', async () => {
  await pooled(`alter role app password 'another-password'`);
  expect(await pooled('select 1 as one', { password: 'another-password' })).toEqual([{ one: 1 }]);
  await pooled(`alter role app password 'a-password-for-tests'`, { password: 'another-password' });
});

test.skipIf(fault !== undefined)('it follows the primary, and comes back when it is killed', async () => {
  const notes = () => readFileSync(path.join(clusters.root, cluster.id, 'notes.json'), 'utf8');
  await waitUntil(() => notes().includes('"mayTakeOver":true'), { what: 'the replica to be whole' });
  process.kill(clusters.pidOf(cluster.id), 'SIGKILL');
  const where = () => pooled('select current_setting($$cluster_name$$) as name').catch(() => []);
  await waitUntil(async () => (await where())[0]?.name === `${cluster.id}-b`, {
    what: 'the pooler to lead to the other server',
  });
  const [killed = 0] = poolers();
  process.kill(killed, 'SIGKILL');
  await waitUntil(async () => (await where()).length > 0, { what: 'the pooler to be back' });
  expect(poolers()).not.toContain(killed);
});

test.skipIf(fault !== undefined)('a driver with a pool of its own works through it', async () => {
  const pool = new pg.Pool({
    host: cluster.host,
    port,
    user: 'app',
    database: 'shop',
    password: 'a-password-for-tests',
    ssl: { rejectUnauthorized: false },
    max: 20,
  });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => pool.query('select $1::int as i', [i])),
  );
  expect(answers.map(({ rows }) => rows[0]?.i)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  await pool.end();
});

test.skipIf(fault !== undefined)(
  'who may come in is what was changed last, also when that was cut off',
  async () => {
    await stopKeeping();
    const narrow = { ...cluster, acl: ['203.0.113.0/24'] };
    // The files are written, and then it is looked up in order to tell it.
    const look = vi.spyOn(Pooler.prototype, 'running').mockImplementationOnce(() => {
      throw new Error('cut off');
    });
    await expect(clusters.bring(narrow)).rejects.toThrow('cut off');
    look.mockRestore();
    await clusters.bring(narrow);
    const isOutside = () =>
      pooled('select 1').then(
        () => false,
        () => true,
      );
    await waitUntil(isOutside, { what: 'who was removed from the access list to stay outside' });
    await clusters.bring(cluster);
    await waitUntil(() => pooled('select 1'), { what: 'who is on it again to come in' });
  },
);

test.skipIf(fault !== undefined)(
  'an older PgBouncer serves poolers that there are, until it is replaced',
  async () => {
    await stopKeeping();
    const paths = pathsOf(clusters.root, cluster.id);
    const pooler = new Pooler(paths.home);
    const [primary] = [new Server(paths), new Server(pathsOf(clusters.root, cluster.id, 'b'))].filter(
      (server) => server.running() && !server.isStandby(),
    );
    if (!primary) throw new Error('the cluster has no primary');
    const program = engines.programOf('pgbouncer') ?? '';
    const other = path.join(paths.home, 'pgbouncer');
    copyFileSync(program, other);
    const [before] = poolers();
    expect(await pooler.reconcile(cluster, primary, { program: other, fault: 'too old' })).toBeNull();
    expect(readFileSync(ini(), 'utf8')).not.toContain('max_prepared_statements');
    const [older] = poolers();
    expect(older).not.toBe(before);
    expect(await pooled('select 1 as one')).toEqual([{ one: 1 }]);
    const reconcile = () => pooler.reconcile(cluster, primary, { program, fault: undefined });
    expect(await reconcile()).toBeNull();
    expect(readFileSync(ini(), 'utf8')).toContain('max_prepared_statements');
    const [newer] = poolers();
    expect(newer).not.toBe(older);
    await reconcile();
    expect(poolers()).toEqual([newer]);
  },
);

test.skipIf(fault !== undefined)('it goes with its cluster', async () => {
  await stopKeeping();
  expect(poolers()).toHaveLength(1);
  await clusters.remove(cluster.id);
  expect(poolers()).toEqual([]);
  expect(clusters.folders().filter((name) => name !== 'templates')).toEqual([]);
});
