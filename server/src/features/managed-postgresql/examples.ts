import type { Examples } from '../../platform/openapi/examples.ts';

const pg_conf = 'max_connections = 200\nwork_mem = 8MB\n';

export const managedPostgresqlExamples: Examples = {
  ManagedPostgresqlStatus: { is_initialized: true },
  CreatePostgresqlCluster: {
    cluster_name: 'shop-orders',
    flavor: { cpu: 2, memory_gib: 4 },
    storage: { size_gib: 50, type: 'ssd-hiiops' },
    network: { network_type: 'public', acl: ['198.51.100.0/24'] },
    high_availability: { replication_mode: 'async' },
    pg_server_configuration: { version: '18', pg_conf, pooler: { mode: 'transaction', type: 'pgbouncer' } },
    users: [{ name: 'shop', role_attributes: ['LOGIN'] }],
    databases: [{ name: 'orders', owner: 'shop' }],
  },
  UpdatePostgresqlCluster: {
    storage: { size_gib: 80 },
    network: { network_type: 'public', acl: ['198.51.100.0/24', '203.0.113.7/32'] },
  },
  PostgresqlConfToCheck: { version: '18', pg_conf },
  PostgresqlBackupSchedule: { every_hours: 24, keep: 7 },
  RestorePostgresqlCluster: { cluster_name: 'shop-orders-restored' },
};
