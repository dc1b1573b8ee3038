import { afterAll, beforeAll, expect, test } from 'vitest';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { postgresqlPrograms } from '../../server/src/regions/postgresql-programs.ts';
import { ask, type LocalClusters, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';

/** Older versions, of which those are tried that are installed: `npm run engines -- install postgresql-17`. */

const engines = new Engines({ folders: [shelf()] });
const older = ['17', '16', '15'];
await engines.look(older.map((version) => `postgresql-${version}`));
let clusters: LocalClusters;

beforeAll(async () => {
  clusters = await startLocalClusters();
});

afterAll(() => clusters.close());

/** All as a user, each by itself. */
async function createOfferedExtensions(cluster: DesiredCluster): Promise<void> {
  const names = (await ask(cluster, 'select name from pg_available_extensions')).map(({ name }) =>
    String(name),
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names).toEqual(expect.arrayContaining(['pg_trgm', 'pgcrypto', 'uuid-ossp']));
  expect(names).not.toContain('dblink');
  for (const name of names) await ask(cluster, `create extension if not exists "${name}" cascade`);
  const missing = `select name from pg_available_extensions where installed_version is null`;
  expect(await ask(cluster, missing)).toEqual([]);
}

test('every extension that a cluster offers can be created', async () => {
  const cluster = await clusters.create();
  await createOfferedExtensions(cluster);
  await clusters.remove(cluster.id);
});

for (const version of older) {
  const isThere = engines.isReady(`postgresql-${version}`);
  test.skipIf(!isThere)(
    `a cluster of version ${version} serves, with a replica${isThere ? '' : ' (it is not installed)'}`,
    async () => {
      const cluster = await clusters.create({ version, replication: 'sync' });
      const [row] = await ask(
        cluster,
        'create table t (i int)',
        'insert into t values (1)',
        'select version()',
      );
      expect(row?.version).toMatch(new RegExp(`^PostgreSQL ${version}\\.`));
      await createOfferedExtensions(cluster);
      process.kill(clusters.pidOf(cluster.id), 'SIGKILL');
      const stopKeeping = clusters.keep(cluster);
      const rows = await waitUntil(() => ask(cluster, 'select i from t').catch(() => undefined), {
        what: 'an answer',
      });
      expect(rows).toEqual([{ i: 1 }]);
      await stopKeeping();
      await clusters.remove(cluster.id);
    },
  );
}

test('an idle server has no processes for what it can do itself, unless its settings want them', async () => {
  const cluster = await clusters.create();
  const show = async (name: string) => (await ask(cluster, `show ${name}`))[0]?.[name];
  expect([await show('io_method'), await show('max_logical_replication_workers')]).toEqual(['sync', '0']);
  await clusters.apply({ ...cluster, pg_conf: 'io_method = worker\n' });
  expect(await show('io_method')).toBe('worker');
  await clusters.remove(cluster.id);
});

test('a version that is missing is installed when it is needed, once; a fault is said, and tried again', async () => {
  const requested: string[] = [];
  let fail: (error: Error) => void = () => undefined;
  const programs = postgresqlPrograms({
    dataDir: clusters.root,
    log: { info: () => undefined },
    engines: {
      programOf: () => undefined,
      faultOf: () => undefined,
      state: (name) => engines.state(name),
      install: (name) => {
        requested.push(name);
        return new Promise((_, reject) => {
          fail = reject;
        });
      },
    },
  });
  expect(programs.versions()).toEqual(['18', '17', '16', '15']);
  expect(await programs.folderOf('16')).toBeUndefined();
  expect(await programs.folderOf('16')).toBeUndefined();
  expect(requested).toEqual(['postgresql-16']);
  fail(new Error('no network'));
  await expect(
    waitUntil(() => programs.folderOf('16').catch((error: unknown) => error), { what: 'the fault' }),
  ).resolves.toMatchObject({
    message: expect.stringMatching(/no network.*npm run engines -- install postgresql-16/),
  });
  expect(await programs.folderOf('16')).toBeUndefined();
  expect(requested).toHaveLength(2);
});
