import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { ask, type LocalClusters, session, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';

/** Whatever a cluster's configuration and its users set, Virga's own statements are made. */

const SHARP = `
statement_timeout = 1
lock_timeout = 1
idle_in_transaction_session_timeout = 1
idle_session_timeout = 1
default_transaction_isolation = serializable
default_transaction_deferrable = on
default_tablespace = nowhere
temp_tablespaces = nowhere
datestyle = 'SQL, DMY'
intervalstyle = sql_standard
timezone = 'Asia/Kathmandu'
search_path = 'evil, pg_catalog'
row_security = off
session_replication_role = replica
standard_conforming_strings = off
quote_all_identifiers = on
transform_null_equals = on
bytea_output = escape
client_min_messages = error
log_statement = all
log_min_messages = error
exit_on_error = on
track_activities = off
update_process_title = off
`;

const engines = new Engines({ folders: [shelf()] });
await engines.look(['pgbouncer']);
const noPooler = engines.faultOf('pgbouncer');

let clusters: LocalClusters;
let cluster: DesiredCluster;

beforeAll(async () => {
  clusters = await startLocalClusters();
  cluster = await clusters.create();
});
afterAll(() => clusters.close());

describe('a cluster with settings that end every statement', () => {
  test('is changed, gets a replica, users and backups, and can be set back', async () => {
    const plain = cluster;
    cluster = await clusters.bring({
      ...cluster,
      pg_conf: SHARP,
      replication: 'sync',
      pooler: noPooler === undefined ? 'session' : null,
      users: [...cluster.users, { name: 'writer', role_attributes: ['LOGIN', 'CREATEDB'] }],
      databases: [...cluster.databases, { name: 'more', owner: 'writer' }],
      backups: { every_hours: 1, keep: 1 },
    });
    const observed = await waitUntil(
      async () => {
        const seen = await clusters.observe(cluster);
        return (seen?.backups ?? []).length > 0 && seen;
      },
      { what: 'a backup' },
    );
    expect(observed).toMatchObject({ fault: null, databaseSizes: { more: expect.any(Number) } });
    const comesIn = () => session(cluster, { port: 6432 }).then((client) => client.end().then(() => true));
    if (noPooler === undefined)
      await waitUntil(() => comesIn().catch(() => false), { what: 'the pooler to let its users in' });
    cluster = await clusters.bring({ ...plain, users: cluster.users, databases: cluster.databases });
    expect(await ask(cluster, 'show statement_timeout')).toEqual([{ statement_timeout: '0' }]);
  });

  test('keeps passwords that we set out of its log', async () => {
    const other = await clusters.create({ pg_conf: 'log_statement = all\nlog_min_duration_statement = 0\n' });
    const log = readFileSync(`${clusters.root}/${other.id}/server.log`, 'utf8');
    await ask(other, `select 'this is logged'`);
    expect(readFileSync(`${clusters.root}/${other.id}/server.log`, 'utf8')).toContain('this is logged');
    expect(log).not.toMatch(/alter role/i);
    await clusters.remove(other.id);
  });
});

test('a cluster whose settings let nobody sign in is set back', async () => {
  await expect(clusters.bring({ ...cluster, pg_conf: 'transaction_timeout = 1\n' })).rejects.toThrow(
    'terminating connection due to transaction timeout',
  );
  cluster = await clusters.bring(cluster);
  expect(await ask(cluster, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a change that a transaction of a user holds up ends, and says so; it can be made afterwards', async () => {
  const holder = await session(cluster);
  await holder.query(`begin; alter role app password 'another-password'`);
  const next = { ...cluster, pg_conf: 'work_mem = 9MB\n' };
  await expect(clusters.bring(next)).rejects.toThrow(
    'Users and databases could not be changed: canceling statement due to lock timeout',
  );
  await holder.query('rollback');
  await holder.end();
  cluster = await clusters.bring(next);
  expect(await ask(cluster, 'show work_mem')).toEqual([{ work_mem: '9MB' }]);
});

test('a cluster whose server does not start with its settings is set back, and deleted', async () => {
  const broken = { ...cluster, pg_conf: 'huge_pages = on\nshared_buffers = 100GB\n' };
  await expect(clusters.bring(broken)).rejects.toThrow('PostgreSQL did not start');
  cluster = await clusters.bring(cluster);
  expect(await ask(cluster, 'select 1 as one')).toEqual([{ one: 1 }]);
  await expect(clusters.bring(broken)).rejects.toThrow('PostgreSQL did not start');
  await clusters.remove(cluster.id);
  expect(clusters.folders().filter((name) => name !== 'templates')).toEqual([]);
  // Whatever was begun before makes nothing of it again.
  await expect(clusters.bring(cluster)).rejects.toThrow('The cluster was deleted meanwhile');
});
