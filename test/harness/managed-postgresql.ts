/** Clusters of managed PostgreSQL for tests, in project 1 and region 2, which is simulated. */

export const STATUS = '/cloud/v1/dbaas/status/1/2';
export const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/2';

/** One with a user and a database. */
export const clusterBody = (name: string, version = '18') => ({
  cluster_name: name,
  flavor: { cpu: 1, memory_gib: 2 },
  storage: { size_gib: 10, type: 'standard' },
  network: { network_type: 'public', acl: ['127.0.0.0/8'] },
  high_availability: null,
  pg_server_configuration: { pg_conf: 'work_mem = 8MB\n', version },
  users: [{ name: 'app', role_attributes: ['LOGIN', 'CREATEDB'] }],
  databases: [{ name: 'shop', owner: 'app' }],
});
