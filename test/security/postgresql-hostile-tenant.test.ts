import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { type LocalClusters, session, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';
import {
  adminPassword,
  careless,
  expectInnocence,
  type HostileTenant,
  hostileTenant,
  inventory,
  runs,
} from './hostile-tenant.ts';

/** Whatever is done to a cluster, code of its users meets no superuser. */

const engines = new Engines({ folders: [shelf()] });
const needed = ['pgbouncer', 'postgresql-tools', 'postgresql-17'];
await engines.look(needed);
const fault = needed.map((name) => engines.faultOf(name)).find(Boolean);
const users = [
  { name: 'app', role_attributes: ['LOGIN', 'CREATEDB', 'CREATEROLE', 'BYPASSRLS'] as const },
  { name: 'reader', role_attributes: ['LOGIN'] as const },
];
const port = 6432;

describe.skipIf(fault !== undefined)(`a hostile tenant${fault ? `: skipped, ${fault}` : ''}`, () => {
  let clusters: LocalClusters;
  let tenant: HostileTenant;
  let cluster: DesiredCluster;
  let before: Record<string, unknown>;
  const home = ({ id }: DesiredCluster) => path.join(clusters.root, id);
  /** Rows of its own count no more than as a reason to look. */
  const isIntact = async (of: DesiredCluster) => {
    const now = await inventory(of);
    expect({ ...now, roles: undefined }).toEqual({ ...before, roles: undefined });
  };

  beforeAll(async () => {
    clusters = await startLocalClusters();
    tenant = hostileTenant();
    cluster = await clusters.create({ version: '17', users, pg_conf: 'autovacuum = off\n' });
    const client = await session(cluster);
    // Before we need roles of such names, with whom it may do what it likes.
    for (const name of ['virga_pooler', 'virga_verifiers'])
      await client.query(`create role ${name} login createdb password 'known' role reader`);
    await client.end();
    await tenant.settleIn(cluster);
    before = await inventory(cluster);
  });
  afterAll(async () => {
    await clusters.close();
    tenant.remove();
  });

  test('is one: who is careless as a superuser runs its code, and makes it a superuser', async () => {
    const other = hostileTenant();
    const victim = await clusters.create({ version: '17', users });
    await other.settleIn(victim);
    await careless(path.join(home(victim), 'run'), adminPassword(home(victim)));
    expect(other.files().sort()).toEqual(['operator', 'view']);
    expect((await runs(victim)).filter((run) => run.is_super).length).toBeGreaterThan(0);
    await clusters.remove(victim.id);
    other.remove();
  });

  test('signs in through a pooler, which asks for passwords as nobody special', async () => {
    cluster = await clusters.bring({ ...cluster, pooler: 'session' });
    const comesIn = (database: string) =>
      session(cluster, { port, database }).then((client) => client.end().then(() => true));
    // It answers a moment after it was started.
    await waitUntil(() => comesIn('shop').catch(() => false), { what: 'the pooler to let its users in' });
    expect(await comesIn('postgres')).toBe(true);
    // In a database that has nothing of ours until somebody looks.
    const client = await session(cluster);
    await client.query('create database bare template template0');
    await client.end();
    await clusters.observe(cluster);
    expect(await comesIn('bare')).toBe(true);
    // Not even with the right password.
    const admin = { user: 'virga_admin', password: adminPassword(home(cluster)) };
    await expect(session(cluster, { ...admin, port })).rejects.toThrow();
    await expect(session(cluster, admin)).rejects.toThrow('pg_hba.conf rejects connection');
    await expect(session(cluster, { port, user: 'virga_pooler', password: 'known' })).rejects.toThrow();
    const reader = await session(cluster, { options: '-c role=none -c search_path=pg_catalog' });
    await expect(reader.query(`select * from virga_verifier('app')`)).rejects.toThrow('permission denied');
    await expect(reader.query('set role virga_pooler')).rejects.toThrow('permission denied');
    await expect(reader.query('drop function pg_catalog.virga_verifier(text)')).rejects.toThrow(
      'must be owner',
    );
    await reader.end();
    await expectInnocence(tenant, cluster);
  });

  test('is measured, changed and made larger', async () => {
    cluster = await clusters.bring({
      ...cluster,
      storage: { ...cluster.storage, size_gib: 2 },
      pg_conf: 'autovacuum = off\nwork_mem = 7MB\n',
      users: [...users, { name: 'writer', role_attributes: ['LOGIN'] }],
      databases: [...cluster.databases, { name: 'more', owner: 'reader' }],
    });
    const observed = await clusters.observe(cluster);
    expect(observed?.databaseSizes).toMatchObject({ shop: expect.any(Number), sharp: expect.any(Number) });
    await expectInnocence(tenant, cluster);
    before = await inventory(cluster);
  });

  test('is copied, and comes back in a new cluster', async () => {
    cluster = await clusters.bring({ ...cluster, backups: { every_hours: 1, keep: 1 } });
    await waitUntil(async () => ((await clusters.observe(cluster))?.backups ?? []).length > 0, {
      what: 'a backup',
    });
    const id = randomUUID();
    const source = { cluster_id: cluster.id, until: null };
    const copy = await clusters.apply(
      { ...cluster, id, host: await clusters.provider.hostOf(id), backups: null },
      { isNew: true, source, retracted: { databases: [], users: [] } },
    );
    await isIntact(copy);
    await expectInnocence(tenant, copy);
    await clusters.remove(id);
    await expectInnocence(tenant, cluster);
  });

  test('fails over to a replica', async () => {
    cluster = await clusters.bring({ ...cluster, backups: null, replication: 'sync' });
    const pid = clusters.pidOf(cluster.id);
    process.kill(pid, 'SIGKILL');
    await waitUntil(
      async () =>
        (await clusters.observe(cluster))?.servers?.primary === 'b' && inventory(cluster).catch(() => false),
      { what: 'the replica to take over' },
    );
    await isIntact(cluster);
    await expectInnocence(tenant, cluster);
  });

  test('is brought to a newer version with all that is its own', async () => {
    cluster = await clusters.bring({ ...cluster, version: '18' });
    await expectInnocence(tenant, cluster);
    await isIntact(cluster);
    // What had to be called was called by a role that is gone.
    const called = await runs(cluster);
    expect(called.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['check', 'domain', 'bound']));
    const restorers = called.filter(({ who }) => who.startsWith('virga_'));
    expect(restorers.length).toBeGreaterThan(0);
    expect(restorers.every(({ who }) => /^virga_restore_[0-9a-f]{16}$/.test(who))).toBe(true);
    const { roles } = await inventory(cluster);
    expect(JSON.stringify(roles)).not.toContain('virga_restore');
    const client = await session(cluster, { port });
    expect((await client.query('select a from public.m where a = 1')).rows).toEqual([{ a: 1 }]);
    await client.end();
  });

  test('is deleted', async () => {
    await clusters.remove(cluster.id);
    expect(clusters.folders().filter((name) => name !== 'templates')).toEqual([]);
    expect(tenant.files()).toEqual([]);
  });
});
