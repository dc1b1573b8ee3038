import { expect } from 'vitest';
import { CLUSTERS, clusterBody, STATUS } from '../../harness/managed-postgresql.ts';
import { type Json, type Update, ZULU } from './life-cycle.ts';
import type { Cycles } from './scene.ts';

/** A cluster answers more of each part than was sent: where it is reached, how large its databases are. */
const part = (name: string, value: Json): Update => ({
  method: 'PATCH',
  body: { [name]: value },
  shows: { [name]: value },
});
const settings = (value: Json) => part('pg_server_configuration', value);
/** Those that are there stay. */
const added = (name: string, before: readonly Json[], more: Json): Update => ({
  method: 'PATCH',
  body: { [name]: [more] },
  shows: { [name]: [...before, more] },
});

const body = clusterBody('first', '17');
const reporting = { name: 'report', role_attributes: ['LOGIN'] };

export const DATABASES: Cycles = {
  'managed PostgreSQL cluster': async ({ server }) => {
    await server.call('PUT', STATUS, { body: { is_initialized: true } });
    return {
      path: CLUSTERS,
      body,
      kind: 'postgresql_clusters',
      key: 'cluster_name',
      changedBy: 'PATCH /cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}',
      updates: [
        part('flavor', { cpu: 2, memory_gib: 4 }),
        part('storage', { size_gib: 20 }),
        part('network', { network_type: 'public', acl: ['192.0.2.0/24'] }),
        part('high_availability', { replication_mode: 'async' }),
        part('high_availability', { replication_mode: 'sync' }),
        settings({ pg_conf: 'work_mem = 16MB\n' }),
        {
          ...settings({ pooler: { mode: 'transaction', type: 'pgbouncer' } }),
          shows: {
            pg_server_configuration: { pooler: { mode: 'transaction', type: 'pgbouncer' } },
            // The way in is the pooler's.
            network: { connection_string: expect.stringContaining(':6432/') },
          },
        },
        settings({ version: '18' }),
        added('users', body.users, reporting),
        added('databases', body.databases, { name: 'reports', owner: 'report' }),
      ],
      times: { created_at: ZULU },
      lists: ['databases', 'users'],
    };
  },
};
