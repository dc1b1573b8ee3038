import { expect, test } from 'vitest';
import { CLUSTERS, clusterBody, STATUS } from '../../../../test/harness/managed-postgresql.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';

const server = shared(() => startTestServer({ worker: false }));
/** The same of project 2, which is another client's. */
const theirs = (path: string) => path.replace('/1/2', '/2/2');
const as = 'other client';

test('a cluster that an operator restores is the work of the account whose project it is in', async () => {
  const provider = server.providers.of('postgresql')(2);
  const offer = await provider?.offer();
  Object.assign(provider ?? {}, { offer: async () => ({ ...offer, noBackups: null }) });
  await server.call('PUT', theirs(STATUS), { as, body: { is_initialized: true } });
  await server.call('POST', theirs(CLUSTERS), { as, body: clusterBody('first') });
  const backups = [{ taken_at: '2026-05-01T00:00:00Z', size_bytes: 1 }];
  await server.db.run(
    sql`update postgresql_clusters set status = 'READY', task_id = null, backups = '{}', observed = ${JSON.stringify({ backups })}`,
  );
  const restored = await server.call('POST', '/virga/v1/postgresql_clusters/2/2/first/restore', {
    as: 'operator',
    body: { cluster_name: 'second' },
  });
  const { body: task } = await server.call('GET', `/cloud/v1/tasks/${restored.body.tasks[0]}`, { as });
  expect(task).toMatchObject({ task_type: 'create_dbaas_postgres_cluster', client_id: 2, project_id: 2 });
});
