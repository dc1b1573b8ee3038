import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { Server } from '../../server/src/providers/local/postgresql/server.ts';
import { ask, type LocalClusters, session, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';

/** Changes whose files are in place when this program ends, or cannot reach the server: it has yet to read them. */

let clusters: LocalClusters;
let cluster: DesiredCluster;

/** Does something that ends when the server is to read its files; what comes then knows nothing of before. */
async function cutOff(change: () => Promise<unknown>): Promise<void> {
  const reload = vi.spyOn(Server.prototype, 'reload').mockRejectedValueOnce(new Error('cut off'));
  await change().catch(() => undefined);
  expect(reload).toHaveBeenCalledTimes(1);
  reload.mockRestore();
  await clusters.provider.release('leave');
}

const show = async (name: string) => (await ask(cluster, `show ${name}`))[0]?.[name];

beforeAll(async () => {
  clusters = await startLocalClusters({ bytesPerGib: 256 * 2 ** 20 });
  cluster = await clusters.create();
});

afterEach(() => vi.restoreAllMocks());
afterAll(() => clusters.close());

test('who was removed from the access list stays outside, also when the change was cut off', async () => {
  const narrow = { ...cluster, acl: ['203.0.113.0/24'] };
  await cutOff(() => clusters.bring(narrow));
  await clusters.bring(narrow);
  await expect(ask(cluster, 'select 1')).rejects.toThrow('pg_hba.conf');
  await cutOff(() => clusters.bring(cluster));
  await clusters.observe(cluster);
  expect(await ask(cluster, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the log of changes is kept from when backups begin, also when that was cut off', async () => {
  cluster = { ...cluster, backups: { every_hours: 24, keep: 1 } };
  await cutOff(() => clusters.observe(cluster));
  await clusters.observe(cluster);
  expect(await show('archive_timeout')).toBe('5min');
  cluster = { ...cluster, backups: null };
  await clusters.bring(cluster);
});

test('a full storage is closed to who writes already, also when that was cut off', async () => {
  const full = { ...cluster, storage: { ...cluster.storage, size_gib: 0.1 } };
  await clusters.bring(full);
  const writer = await session(cluster);
  await writer.query('begin');
  await writer.query('create table begun (id int)');
  await cutOff(() => clusters.observe(full));
  await clusters.observe(full);
  await expect(writer.query('insert into begun values (1)')).rejects.toThrow();
  expect(await show('default_transaction_read_only')).toBe('on');
  await clusters.bring(cluster);
  expect(await show('default_transaction_read_only')).toBe('off');
});

test('commits no longer wait for a replica that is not waited for, also when that was cut off', async () => {
  cluster = await clusters.bring({ ...cluster, replication: 'sync' });
  expect(await show('synchronous_standby_names')).toContain('virga_replica');
  cluster = { ...cluster, replication: 'async' };
  await cutOff(() => clusters.bring(cluster));
  await waitUntil(async () => (await clusters.observe(cluster))?.servers?.missing === null, {
    what: 'the replica to be relied on',
  });
  expect(await show('synchronous_standby_names')).toBe('');
});
