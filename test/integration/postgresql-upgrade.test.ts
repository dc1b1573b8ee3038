import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { ask, type LocalClusters, session, startLocalClusters } from '../harness/local-postgresql.ts';

/** Clusters are brought to a newer major version, by a new server that is filled from the old one. Those are tried
 *  that are installed: `npm run engines -- install postgresql-17`, `… postgresql-tools`. */

const engines = new Engines({ folders: [shelf()] });
const older = ['17', '16', '15'];
await engines.look(['postgresql-tools', ...older.map((version) => `postgresql-${version}`)]);
const fault = ['postgresql-tools', ...older.map((version) => `postgresql-${version}`)]
  .map((name) => engines.faultOf(name))
  .find(Boolean);
const ODD = `it's a "name" = \\ of its own`;
const ROWS = 20_000;

describe.skipIf(fault !== undefined)(`upgrades${fault ? `: skipped, ${fault}` : ''}`, () => {
  let clusters: LocalClusters;
  const home = ({ id }: DesiredCluster) => path.join(clusters.root, id);
  const versionOf = async (cluster: DesiredCluster) => {
    const [row] = await ask(cluster, 'show server_version');
    return String(row?.server_version).split('.')[0];
  };
  const filled = async (parts: Partial<DesiredCluster>) => {
    const cluster = await clusters.create(parts);
    const values = `select i, 'row ' || i from generate_series(1, ${ROWS}) i`;
    await ask(cluster, 'create table t (i int primary key, text text)', `insert into t ${values}`);
    return cluster;
  };
  const rows = async (cluster: DesiredCluster) =>
    (await ask(cluster, 'select count(*)::int as n, sum(i)::int as sum from t'))[0];
  const ALL = { n: ROWS, sum: (ROWS * (ROWS + 1)) / 2 };

  beforeAll(async () => {
    clusters = await startLocalClusters();
  });
  afterAll(() => clusters.close());

  test('rows, roles, passwords, rights, sequences, extensions and odd databases come along', async () => {
    const users = [
      { name: 'app', role_attributes: ['LOGIN', 'CREATEDB'] as const },
      { name: 'reader', role_attributes: ['LOGIN'] as const },
    ];
    const before = await filled({
      version: '15',
      users,
      pg_conf: 'work_mem = 5MB\n',
      backups: { every_hours: 1, keep: 1 },
    });
    await clusters.observe(before);
    await ask(
      before,
      'create table numbered (id int generated always as identity, at timestamptz default now())',
      'insert into numbered default values',
      'insert into numbered default values',
      'create extension citext',
      'create view v as select text from t where i < 3',
      'grant select on v to reader',
      `comment on table t is 'SET transaction_timeout = 0;'`,
      `select lo_from_bytea(4711, 'a large object')`,
      `alter database shop set default_transaction_read_only = on`,
      `alter role app set work_mem = '7MB'`,
      `set default_transaction_read_only = off`,
      `alter role app password 'changed with SQL'`,
    );
    const password = 'changed with SQL';
    const inSession = async (cluster: DesiredCluster, text: string, options = {}) => {
      const client = await session(cluster, { password, ...options });
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    };
    const odd = `"${ODD.replaceAll('"', '""')}"`;
    const inOther = { database: ODD };
    await inSession(before, `create database ${odd}`, { database: 'postgres' });
    await inSession(before, 'create table here (i int); insert into here values (1)', inOther);
    const after = { ...before, version: '18' };
    expect(await clusters.step(after)).toBe(false);
    // From now on nobody can write what would be lost.
    await expect(session(before, { password })).rejects.toThrow(/ECONNREFUSED|rejects connection/);
    await clusters.bring(after);
    const one = async (text: string) => (await inSession(after, text))[0];
    expect(await one('show server_version')).toMatchObject({
      server_version: expect.stringMatching(/^18\./),
    });
    expect(await one('select count(*)::int as n, sum(i)::int as sum from t')).toEqual(ALL);
    expect(await one('show work_mem')).toEqual({ work_mem: '7MB' });
    expect(await one('show default_transaction_read_only')).toEqual({ default_transaction_read_only: 'on' });
    expect(await one(`select convert_from(lo_get(4711), 'utf8') as text`)).toEqual({
      text: 'a large object',
    });
    expect(await one(`select obj_description('t'::regclass) as said`)).toEqual({
      said: 'SET transaction_timeout = 0;',
    });
    expect(await one(`select has_table_privilege('reader', 'v', 'select') as may`)).toEqual({ may: true });
    const write = (text: string) => inSession(after, `begin read write; ${text}; commit`);
    await write('insert into numbered default values');
    expect(await one('select max(id) as max from numbered')).toEqual({ max: 3 });
    // The extension is still its owner's.
    await write('drop extension citext');
    expect(await inSession(after, 'select i from here', inOther)).toEqual([{ i: 1 }]);
    // Copies of the old version are none that a server of the new one reads.
    expect((await clusters.observe(after))?.backups).toEqual([]);
    expect(readdirSync(home(after)).filter((name) => /next|former/.test(name))).toEqual([]);
    await clusters.remove(after.id);
  });

  test('each version leads to the next, and those with a replica have one again', async () => {
    let cluster = await filled({ version: '15' });
    for (const version of ['16', '17']) {
      cluster = await clusters.bring({ ...cluster, version });
      expect([await versionOf(cluster), await rows(cluster)]).toEqual([version, ALL]);
    }
    cluster = await clusters.bring({ ...cluster, replication: 'sync' });
    cluster = await clusters.bring({ ...cluster, version: '18' });
    expect([await versionOf(cluster), await rows(cluster)]).toEqual(['18', ALL]);
    const standby = path.join(home(cluster), 'b', 'data', 'PG_VERSION');
    expect(readFileSync(standby, 'utf8').trim()).toBe('18');
    await clusters.remove(cluster.id);
  });

  test('what the new version does not accept is said, and the old one serves again with all it had', async () => {
    const cluster = await filled({ version: '16' });
    await ask(
      cluster,
      'create table a (i int)',
      'create table z as select 1 as i',
      `create function even() returns bool language sql as 'select count(*) > 0 from z'`,
      'insert into a values (1)',
      'alter table a add check (even())',
    );
    await expect(clusters.bring({ ...cluster, version: '17' })).rejects.toThrow(
      /^The data could not be brought over, and stay as they were: .*relation "z" does not exist/,
    );
    await clusters.bring(cluster);
    expect([await versionOf(cluster), await rows(cluster)]).toEqual(['16', ALL]);
    expect(readdirSync(home(cluster)).filter((name) => /next|former/.test(name))).toEqual([]);
    await ask(cluster, 'drop table a');
    const after = await clusters.bring({ ...cluster, version: '17' });
    expect([await versionOf(after), await rows(after)]).toEqual(['17', ALL]);
    await clusters.remove(cluster.id);
  });

  test('a database that cannot be read is named before anything is closed', async () => {
    const cluster = await clusters.create({
      version: '17',
      users: [{ name: 'app', role_attributes: ['LOGIN', 'CREATEDB'] }],
    });
    await ask(cluster, 'create database locked', 'alter database locked allow_connections false');
    await expect(clusters.bring({ ...cluster, version: '18' })).rejects.toThrow(
      'The database locked lets nobody connect, so that it cannot be read: allow connections or drop it',
    );
    expect(await versionOf(cluster)).toBe('17');
    await clusters.remove(cluster.id);
  });

  const LEFT: readonly [string, (cluster: DesiredCluster) => void][] = [
    [
      'while it was being filled',
      (cluster) => mkdirSync(path.join(home(cluster), 'next', 'data'), { recursive: true }),
    ],
    [
      'between the names',
      (cluster) => renameSync(path.join(home(cluster), 'data'), path.join(home(cluster), 'former')),
    ],
    [
      'before the new data had answered',
      (cluster) => {
        renameSync(path.join(home(cluster), 'data'), path.join(home(cluster), 'former'));
        mkdirSync(path.join(home(cluster), 'data'));
        writeFileSync(path.join(home(cluster), 'data', 'PG_VERSION'), '18\n');
      },
    ],
  ];
  test.each(LEFT)('killed %s, the old data count, whether it goes on or back', async (_, leave) => {
    const cluster = await filled({ version: '17' });
    for (const version of ['17', '18']) {
      await clusters.crash(() => {
        const file = path.join(home(cluster), 'notes.json');
        const notes = JSON.parse(readFileSync(file, 'utf8'));
        writeFileSync(file, JSON.stringify({ ...notes, upgrade: { from: '17', to: '18' } }));
        leave(cluster);
      });
      expect(await clusters.provider.versionOf(cluster.id)).toBe('17');
      const now = await clusters.bring({ ...cluster, version });
      expect([await versionOf(now), await rows(now)]).toEqual([version, ALL]);
      expect(existsSync(path.join(home(cluster), 'former'))).toBe(false);
      expect(existsSync(path.join(home(cluster), 'next'))).toBe(false);
    }
    await clusters.remove(cluster.id);
  });
});
