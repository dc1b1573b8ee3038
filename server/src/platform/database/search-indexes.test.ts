import { expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, poolOn } from '../../../../test/harness/database.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { migrateToLatest } from './migrate.ts';
import { addSearchIndexes } from './search-indexes.ts';

const INDEXES = `select indexname from pg_indexes where indexname like '%\\_search' order by 1`;

test('a new database can find parts of texts by an index', async () => {
  const pool = await poolOn(createTestDatabase());
  const { rows } = await pool.query(INDEXES);
  expect(rows.map(({ indexname }) => indexname)).toEqual([
    'audit_log_subject_search',
    'instances_name_search',
    'load_balancers_name_search',
    'networks_name_search',
    'postgresql_clusters_name_search',
    'volume_snapshots_name_search',
    'volumes_name_search',
  ]);
  const client = await pool.connect();
  // For the few rows of a test everything else is cheaper.
  await client.query('set enable_seqscan = off');
  const { rows: plan } = await client.query(`explain select * from volumes where name ilike '%web-05%'`);
  client.release();
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('volumes_name_search');
});

test('a node that works on several of the tables meanwhile is in nobody’s way', async () => {
  const pool = await poolOn(createTestDatabase());
  const { rows: all } = await pool.query<{ indexname: string }>(INDEXES);
  await pool.query(`drop index ${all.map(({ indexname }) => indexname).join(', ')}`);
  const node = await pool.connect();
  await node.query('begin; lock table load_balancers in row exclusive mode');
  const added = addSearchIndexes(pool);
  const waits = `select from pg_locks where relation = 'load_balancers'::regclass and not granted`;
  await waitUntil(async () => (await pool.query(waits)).rowCount === 1, {
    what: 'an index to wait for the node',
  });
  await node.query('lock table instances in row exclusive mode');
  await node.query('commit');
  node.release();
  await added;
  expect((await pool.query(INDEXES)).rows).toEqual(all);
});

test('where the extensions may not be made, everything else is', async () => {
  const pool = await poolOn(createEmptyDatabase());
  // Who may not create in the database may not create extensions there.
  const { rows } = await pool.query<{ name: string }>(
    'select current_database() as name, current_user as own',
  );
  await pool.query(`revoke create on database ${rows[0]?.name} from current_user`);
  await migrateToLatest(pool);
  expect((await pool.query(INDEXES)).rows).toEqual([]);
  expect((await pool.query('select count(*)::int as n from instances')).rows).toEqual([{ n: 0 }]);
});
