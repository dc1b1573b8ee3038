import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import { settingsOf } from '../../server/src/features/managed-postgresql/flavors.ts';
import type {
  ClusterChange,
  DesiredCluster,
  ObservedCluster,
} from '../../server/src/features/managed-postgresql/port.ts';
import { verifierOf } from '../../server/src/features/managed-postgresql/scram.ts';
import { issueTls } from '../../server/src/platform/x509/issue.ts';
import { engineRoot } from '../../server/src/providers/local/host/engine-root.ts';
import { createLocalPostgresql, OwnerFence } from '../../server/src/providers/local/index.ts';
import { postgresqlPrograms } from '../../server/src/regions/postgresql-programs.ts';
import { waitUntil } from './wait.ts';

/** The provider of clusters alone, without a server around it: tests decide when it looks, and how large a GiB is. */

const KEEP_EVERY_MS = 1000;
const PASSWORD = 'a-password-for-tests';
const NEW: ClusterChange = { isNew: true, retracted: { databases: [], users: [] } };
const CHANGED: ClusterChange = { ...NEW, isNew: false };

export type LocalClusters = Awaited<ReturnType<typeof startLocalClusters>>;

export async function startLocalClusters(options: { bytesPerGib?: number } = {}) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'virga-clusters-'));
  const engines = new Engines({ folders: [path.join(dataDir, 'engines'), shelf()] });
  const versions = ['18', '17', '16', '15'].map((version) => `postgresql-${version}`);
  await engines.look([...versions, 'pgbouncer', 'postgresql-tools']);
  const fence = new OwnerFence(dataDir);
  await fence.takeOver(1);
  const provider = createLocalPostgresql({
    ...options,
    dataDir,
    fence,
    log: { warn: () => undefined },
    now: () => new Date(),
    programs: postgresqlPrograms({ dataDir, engines, log: { info: () => undefined } }),
    addresses: { add: async () => false, remove: async () => undefined },
    allocateAddress: async () => `127.${randomInt(120, 250)}.${randomInt(1, 250)}.${randomInt(1, 250)}`,
  });
  const root = engineRoot(path.join(dataDir, 'postgresql'));
  const operation = { key: randomUUID(), type: 'test', name: 'test', acceptedAt: new Date(0) };
  const apply = async (desired: DesiredCluster, change = CHANGED) => {
    await waitUntil(async () => (await provider.applyCluster(desired, change, operation)).ready, {
      what: 'the cluster to be as it is desired',
    });
    return desired;
  };
  return {
    provider,
    root,
    apply,
    /** A new cluster with a user `app` and a database `shop`. */
    create: async (parts: Partial<DesiredCluster> = {}) => apply(await newCluster(provider, parts), NEW),
    remove: (id: string) => provider.removeCluster(id, operation),
    observe: async (desired: DesiredCluster): Promise<ObservedCluster | undefined> =>
      (await provider.observeClusters([desired.id], async () => desired)).get(desired.id),
    /** Looks after it from now on, as a worker does. @returns what ends that */
    keep: (desired: DesiredCluster) => {
      let isOver = false;
      const looking = (async () => {
        while (!isOver) {
          await provider.observeClusters([desired.id], async () => desired);
          await delay(KEEP_EVERY_MS);
        }
      })();
      return async () => {
        isOver = true;
        await looking;
      };
    },
    /** Kills its server, and changes its files before anybody looks at it again. */
    crash: async (change: () => void) => {
      await provider.release('stop');
      change();
    },
    /** Goes on until it is as it is desired.
     *  @throws what the first step says that fails */
    bring: async (desired: DesiredCluster) => {
      let fault: unknown;
      const ended = async () => {
        try {
          return (await provider.applyCluster(desired, CHANGED, operation)).ready;
        } catch (error) {
          fault = error;
          return true;
        }
      };
      await waitUntil(ended, { what: 'the cluster to be as it is desired' });
      if (fault) throw fault;
      return desired;
    },
    /** One step on. @returns whether it is as it is desired now */
    step: async (desired: DesiredCluster) => (await provider.applyCluster(desired, CHANGED, operation)).ready,
    /** Pid of its server. */
    pidOf: (id: string, folder = 'data') =>
      Number(readFileSync(path.join(root, id, folder, 'postmaster.pid'), 'utf8').split('\n')[0]),
    close: async () => {
      await provider.close('stop');
      await fence.release();
      rmSync(root, { recursive: true, force: true });
      rmSync(dataDir, { recursive: true, force: true });
    },
    folders: () => readdirSync(root),
  };
}

export async function newCluster(
  provider: { hostOf(id: string): Promise<string> },
  parts: Partial<DesiredCluster>,
): Promise<DesiredCluster> {
  const id = randomUUID();
  const host = await provider.hostOf(id);
  const { certificate, privateKey } = await issueTls('test', host, new Date());
  const flavor = { cpu: 1, memory_gib: 1 };
  return {
    id,
    name: 'test',
    host,
    version: '18',
    flavor,
    flavorSettings: { ...settingsOf(flavor), shared_buffers: '16MB' },
    storage: { size_gib: 1, type: 'standard' },
    acl: ['127.0.0.0/8'],
    replication: null,
    pooler: null,
    backups: null,
    pg_conf: '',
    databases: [{ name: 'shop', owner: 'app' }],
    users: [{ name: 'app', role_attributes: ['LOGIN'] }],
    tls: { certificate, privateKey },
    verifiers: { app: await verifierOf(PASSWORD) },
    ...parts,
  };
}

/** A session of its user; whoever calls ends it. */
export async function session({ host }: DesiredCluster, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const ssl = { rejectUnauthorized: false };
  const client = new pg.Client({ host, user: 'app', database: 'shop', password: PASSWORD, ssl, ...options });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The rows of one statement, in a session of its own. */
export async function askOnce(options: pg.ClientConfig, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ssl: { rejectUnauthorized: false }, ...options });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** The rows that statements give, one after the other in one session; those of the last. */
export async function ask(
  desired: DesiredCluster,
  ...statements: readonly string[]
): Promise<Record<string, unknown>[]> {
  const client = await session(desired);
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
