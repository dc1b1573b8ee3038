import { existsSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { managedPostgresqlExamples } from '../../server/src/features/managed-postgresql/examples.ts';
import { askOnce } from '../harness/local-postgresql.ts';
import { clusterBody } from '../harness/managed-postgresql.ts';
import { startLocalServer } from '../harness/regions.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Backups of real clusters, ordered by operators, and any moment since the first of them in a new cluster. */

const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
const OPERATOR = '/virga/v1/postgresql_clusters/1/1';
let server: TestServer;

const as = 'operator' as const;
const body = (name: string) => ({ ...clusterBody(name), flavor: { cpu: 1, memory_gib: 1 } });
const operate = (method: string, rest: string, sent?: unknown) =>
  server.call(method, `${OPERATOR}${rest}`, { as, ...(sent === undefined ? {} : { body: sent }) });
/** The name in the example of the document. */
const RESTORED = 'shop-orders-restored';
const backupsOf = async (name: string) => (await operate('GET', `/${name}/backups`)).body;
const folders = () =>
  readdirSync(path.join(server.dataDir, 'regions', '1', 'postgresql')).filter((name) => name.length === 36);
const passwords = new Map<string, string>();

async function query(name: string, text: string): Promise<Record<string, unknown>[]> {
  const { network } = (await server.call('GET', `${CLUSTERS}/${name}`)).body;
  if (!passwords.has(name)) {
    const { body: shown } = await server.call('GET', `${CLUSTERS}/${name}/users/app/credentials`);
    passwords.set(name, shown.password);
  }
  const password = passwords.get(name) ?? '';
  return askOnce({ host: network.host, user: 'app', database: 'shop', password }, text);
}

async function ended(reply: Awaited<ReturnType<TestServer['call']>>): Promise<void> {
  expect(reply).toMatchObject({ status: 200 });
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED', error: null });
}

beforeAll(async () => {
  server = await startLocalServer();
  await server.call('PUT', '/cloud/v1/dbaas/status/1/1', { body: { is_initialized: true } });
  await ended(await server.call('POST', CLUSTERS, { body: body('first') }));
}, 120_000);

afterAll(() => server.close());

test('a cluster without backups cannot be restored, and those who are no operators order none', async () => {
  expect(await backupsOf('first')).toEqual({ schedule: null, backups: [], restorable_from: null });
  expect((await operate('POST', '/first/restore', { cluster_name: 'second' })).status).toBe(409);
  const refused = await server.call('PUT', `${OPERATOR}/first/backups`, {
    body: { every_hours: 1, keep: 1 },
  });
  expect(refused.status).toBe(403);
});

test('any moment since the first backup comes back in a new cluster; the old one goes on', async () => {
  await query('first', 'create table rows (id int)');
  const schedule = managedPostgresqlExamples.PostgresqlBackupSchedule;
  expect((await operate('PUT', '/first/backups', schedule)).body).toMatchObject({ schedule });
  const { restorable_from: from } = await waitUntil(
    async () => {
      const seen = await backupsOf('first');
      return seen.backups.length > 0 && seen;
    },
    { what: 'the first backup' },
  );
  await query('first', 'insert into rows select generate_series(1, 1000)');
  // A moment that is given to the millisecond is surely after what was just committed.
  const [moment] = await query('first', 'select pg_sleep(0.01), clock_timestamp()::text as now');
  await query('first', 'drop table rows');
  const early = { cluster_name: 'second', until: new Date(Date.parse(from) - 1000).toISOString() };
  expect((await operate('POST', '/first/restore', early)).body.invalid_fields).toHaveProperty('until');
  const until = new Date(String(moment?.now)).toISOString();
  await ended(await operate('POST', '/first/restore', { cluster_name: 'second', until }));
  expect(await query('second', 'select count(*)::int as n from rows')).toEqual([{ n: 1000 }]);
  await query('second', 'insert into rows values (0)');
  await expect(query('first', 'select 1 from rows')).rejects.toThrow('does not exist');
  const { body: restored } = await server.call('GET', `${CLUSTERS}/second`);
  expect(restored).toMatchObject({
    status: 'READY',
    users: [{ name: 'app' }],
    databases: [{ name: 'shop' }],
  });
});

test('without a moment, what there is now comes back', async () => {
  // A server lets clients read long before it has replayed this much.
  await query('first', 'create table many as select md5(i::text) from generate_series(1, 1500000) i');
  await query('first', 'create table later (id int)');
  await ended(await operate('POST', '/first/restore', managedPostgresqlExamples.RestorePostgresqlCluster));
  expect(await query(RESTORED, 'select count(*)::int as n from later')).toEqual([{ n: 0 }]);
});

test('a cluster that cannot be looked at has its backups all the same, and says that it is down', async () => {
  const before = await backupsOf('first');
  const id = folders().find((each) => existsSync(path.join(folderOf(each), 'backups'))) ?? '';
  const [data, aside] = ['data', 'aside'].map((name) => path.join(folderOf(id), name)) as [string, string];
  const status = async () => (await server.call('GET', `${CLUSTERS}/first`)).body.status;
  const phase = async () => (await server.call('GET', `${OPERATOR}/first/servers`)).body.phase;
  renameSync(data, aside);
  await waitUntil(async () => (await status()) === 'UNHEALTHY', { what: 'the cluster to be UNHEALTHY' });
  expect((await backupsOf('first')).restorable_from).toBe(before.restorable_from);
  expect(await phase()).toBe('down');
  renameSync(aside, data);
  await waitUntil(async () => (await status()) === 'READY', { what: 'the cluster to be READY' });
  expect(await phase()).toBe('serving');
});

test('backups end on request, and go with their cluster', async () => {
  expect((await operate('DELETE', '/first/backups')).status).toBe(204);
  const kept = () => folders().filter((id) => existsSync(path.join(folderOf(id), 'backups')));
  await waitUntil(() => kept().length === 0, { what: 'the backups to go' });
  expect((await backupsOf('first')).backups).toEqual([]);
  for (const name of ['first', 'second', RESTORED])
    await ended(await server.call('DELETE', `${CLUSTERS}/${name}`));
  expect(folders()).toEqual([]);
});

const folderOf = (id: string) => path.join(server.dataDir, 'regions', '1', 'postgresql', id);
