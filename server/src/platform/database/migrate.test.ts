import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { createDatabaseOfLastRelease } from '../../../../test/upgrade/kept-release.ts';
import { migrateToLatest } from './migrate.ts';

/** A database of before the newest migrations, and a connection to it that plays the node that is at work on it. */
async function databaseOfBefore() {
  const database = await createDatabaseOfLastRelease();
  const pool = new pg.Pool(database.connection);
  const node = new pg.Client(database.connection);
  await node.connect();
  onTestFinished(async () => {
    await node.end();
    await pool.end();
    await database.drop();
  });
  return { pool, node };
}

/** Until a migration waits for a lock on the table. */
async function untilWaitedFor(node: pg.Client, table: string): Promise<void> {
  const waiting = async () => {
    const { rows } = await node.query('select from pg_locks where relation = $1::regclass and not granted', [
      table,
    ]);
    return rows.length > 0;
  };
  await waitUntil(waiting, { what: `a migration that waits for ${table}` });
}

test('a migration never ends a statement of the node that it is locked out in a circle with', async () => {
  const { pool, node } = await databaseOfBefore();
  await node.query('begin; select from volumes');
  const migrated = migrateToLatest(pool);
  await untilWaitedFor(node, 'volumes');
  // In the order of their names the migration has locked this one by now.
  await node.query('select from audit_log');
  await node.query('commit');
  await migrated;
});

test('a migration waits until who holds a table, like a backup, has ended', async () => {
  const { pool, node } = await databaseOfBefore();
  await node.query('begin; lock table tasks in share update exclusive mode');
  const migrated = migrateToLatest(pool);
  await untilWaitedFor(node, 'tasks');
  expect((await node.query(`select from kysely_migration where name > '0232'`)).rows).toEqual([]);
  await node.query('commit');
  await migrated;
  expect((await node.query(`select from kysely_migration where name > '0232'`)).rows).not.toEqual([]);
});

test('rows that were moved into another project go back to their load balancer', async () => {
  const { pool, node } = await databaseOfBefore();
  const [own, foreign] = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  await node.query(`
    set session_replication_role = replica;
    insert into load_balancers (id, project_id, region_id, client_id, name, provisioning_status, operating_status,
                                created_at)
      values ('${own}', 1, 2, 1, 'own', 'ACTIVE', 'ONLINE', now()),
             ('${foreign}', 7, 2, 7, 'foreign', 'ACTIVE', 'ONLINE', now());
    insert into lb_pools (id, load_balancer_id, project_id, region_id, name, protocol, lb_algorithm,
                          provisioning_status, operating_status, created_at)
      values ('${own}', '${own}', 7, 2, 'moved', 'TCP', 'ROUND_ROBIN', 'ACTIVE', 'ONLINE', now()),
             ('${foreign}', '${foreign}', 7, 2, 'foreign', 'TCP', 'ROUND_ROBIN', 'ACTIVE', 'ONLINE', now());
    insert into lb_listeners (id, load_balancer_id, project_id, region_id, default_pool_id, name, protocol,
                              protocol_port, provisioning_status, operating_status, created_at)
      values ('${own}', '${own}', 7, 1, '${foreign}', 'moved', 'TCP', 80, 'ACTIVE', 'ONLINE', now());
    insert into lb_members (id, load_balancer_id, pool_id, address, protocol_port, provisioning_status,
                            operating_status, created_at)
      values ('${own}', '${own}', '${foreign}', '192.0.2.1', 80, 'ACTIVE', 'ONLINE', now()),
             ('${foreign}', '${foreign}', '${foreign}', '192.0.2.2', 80, 'ACTIVE', 'ONLINE', now());
    set session_replication_role = origin`);
  await migrateToLatest(pool);
  const rowsOf = async (columns: string) => (await node.query(`select ${columns}`)).rows;
  expect(await rowsOf(`project_id, region_id from lb_pools where id = '${own}'`)).toEqual([
    { project_id: 1, region_id: 2 },
  ]);
  expect(await rowsOf('project_id, region_id, default_pool_id from lb_listeners')).toEqual([
    { project_id: 1, region_id: 2, default_pool_id: null },
  ]);
  expect(await rowsOf('load_balancer_id from lb_members')).toEqual([{ load_balancer_id: foreign }]);
});
