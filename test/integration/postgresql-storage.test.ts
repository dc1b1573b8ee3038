import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { removeLostChecks } from '../../server/src/providers/local/postgresql/check-conf.ts';
import { ask, type LocalClusters, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';

/** A storage that fills up, with a GiB of 256 MiB so that this does not take long. */

const MIB = 2 ** 20;
const SIZE = 256 * MIB;
let clusters: LocalClusters;
let cluster: DesiredCluster;

/** 8 MiB that are kept as they are. */
const FILL = `insert into heap select repeat('x', 1048576) from generate_series(1, 8)`;
const UNLOCK = 'set default_transaction_read_only = off';

const look = () =>
  waitUntil(() => clusters.observe(cluster), { what: 'a look at the cluster', intervalMs: 100 });
/** Looks until what was seen last is no longer what counts. */
const lookUntil = (what: string, fault: RegExp | null) =>
  waitUntil(
    async () => {
      const seen = await look();
      return fault === null ? seen.fault === null : fault.test(seen.fault ?? '');
    },
    { what, intervalMs: 200 },
  );

async function fill(...before: string[]): Promise<unknown> {
  return waitUntil(
    async () => {
      try {
        for (let i = 0; i < 4; i += 1) await ask(cluster, ...before, FILL);
      } catch (error) {
        return error;
      }
      await look();
      return undefined;
    },
    { what: 'a write to be refused' },
  );
}

beforeAll(async () => {
  clusters = await startLocalClusters({ bytesPerGib: SIZE });
  cluster = await clusters.create();
  await ask(cluster, 'create table heap (text text)', 'alter table heap alter text set storage external');
}, 120_000);

afterAll(() => clusters.close());

test('before the storage is full, databases can only be read, which is said; deleting makes them writable', async () => {
  expect(String(await fill())).toMatch(/read-only transaction|terminat/);
  const seen = await waitUntil(() => clusters.observe(cluster), { what: 'a look at the cluster' });
  expect(seen.fault).toMatch(/^The storage is full: databases can only be read/);
  expect(seen.servers?.phase).toBe('read_only');
  expect(seen.metrics.storage.size_bytes).toBe(SIZE);
  await expect(ask(cluster, FILL)).rejects.toThrow('read-only transaction');
  expect(await ask(cluster, 'select count(*) > 0 as some from heap')).toEqual([{ some: true }]);
  await ask(cluster, UNLOCK, 'truncate heap');
  await lookUntil('the databases to be writable', null);
  await ask(cluster, FILL);
});

test('who goes on writing is kept out, until the storage is larger', async () => {
  await fill();
  await lookUntil('the storage to be full', /can only be read/);
  await fill(UNLOCK);
  await lookUntil('the cluster to be closed', /nobody may connect/);
  expect((await look()).servers?.phase).toBe('closed');
  await expect(ask(cluster, UNLOCK, FILL)).rejects.toThrow('pg_hba.conf');
  const used = (await look()).metrics.storage.used_bytes;
  cluster = { ...cluster, storage: { ...cluster.storage, size_gib: 1 + Math.ceil(used / SIZE) } };
  await clusters.apply(cluster);
  await ask(cluster, FILL);
  expect(await look()).toMatchObject({ fault: null, servers: { phase: 'serving' } });
});

test('what waits for a restart is not forgotten when somebody else has read the configuration before', async () => {
  const next = {
    ...cluster,
    pg_conf: `${cluster.pg_conf}\nmax_connections = 41\n`,
    backups: { every_hours: 24, keep: 1 },
  };
  await clusters.observe(next);
  await clusters.apply(next);
  expect(await ask(next, 'show max_connections')).toEqual([{ max_connections: '41' }]);
  await clusters.apply(cluster);
});

test('the folder of a check whose process was killed goes', () => {
  const lost = path.join(clusters.root, 'check-1@elsewhere-abcdef');
  mkdirSync(lost);
  removeLostChecks(clusters.root);
  expect(clusters.folders()).not.toContain(path.basename(lost));
});

test('deletion leaves nothing', async () => {
  await clusters.remove(cluster.id);
  expect(clusters.folders().filter((name) => name !== 'templates')).toEqual([]);
});
