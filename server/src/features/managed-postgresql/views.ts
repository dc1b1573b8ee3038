import { zuluTime } from '../../kernel/codecs.ts';
import type { ClusterRow } from './model.ts';
import { type Phase, phaseOf } from './phases.ts';
import type { ClusterView, Metrics } from './schema.ts';
import type { UserRow } from './user-store.ts';

const PORT = 5432;
/** Of the pooler, which is what clients are led to when there is one. */
const POOLER_PORT = 6432;
const BYTES_PER_GIB = 2 ** 30;

const statusOf = ({ status, observed }: ClusterRow) =>
  status === 'READY' && observed !== null && observed.fault !== null ? 'UNHEALTHY' : status;

/** Without a password: that is shown once, and elsewhere. */
function connectionString({ host, spec }: ClusterRow): string {
  if (host === null) return '';
  const [database] = spec.databases;
  const user = database ? `${database.owner}@` : '';
  return `postgresql://${user}${host}:${spec.pooler === null ? PORT : POOLER_PORT}/${database?.name ?? 'postgres'}?sslmode=require`;
}

export function viewShort(row: ClusterRow) {
  return {
    cluster_name: row.name,
    created_at: zuluTime(row.created_at),
    status: statusOf(row),
    version: row.spec.version,
  };
}

export function viewCluster(row: ClusterRow, users: readonly UserRow[]): ClusterView {
  const { spec, host, observed } = row;
  const sealed = new Set(users.filter((user) => user.sealed_password !== null).map(({ name }) => name));
  return {
    cluster_name: row.name,
    created_at: zuluTime(row.created_at),
    status: statusOf(row),
    flavor: spec.flavor,
    storage: spec.storage,
    network: {
      network_type: 'public',
      acl: [...spec.acl],
      host: host ?? '',
      connection_string: connectionString(row),
    },
    high_availability: spec.replication && { replication_mode: spec.replication },
    pg_server_configuration: {
      pg_conf: spec.pg_conf,
      version: spec.version,
      pooler: spec.pooler && { mode: spec.pooler, type: 'pgbouncer' },
    },
    databases: spec.databases.map(({ name, owner }) => ({
      name,
      owner,
      size: observed?.databaseSizes[name] ?? 0,
    })),
    users: spec.users.map(({ name, role_attributes: attributes }) => ({
      name,
      role_attributes: [...attributes],
      is_secret_revealed: !sealed.has(name),
    })),
  };
}

export function viewMetrics({ observed, spec }: ClusterRow): Metrics & { fault: string | null } {
  if (observed) return { ...observed.metrics, fault: observed.fault };
  return {
    fault: null,
    connections: { active: 0, idle: 0, max: 0 },
    transactions: { committed: 0, rolled_back: 0, deadlocks: 0 },
    rows: { returned: 0, inserted: 0, updated: 0, deleted: 0 },
    blocks: { read: 0, hit: 0 },
    storage: { used_bytes: 0, size_bytes: spec.storage.size_gib * BYTES_PER_GIB },
  };
}

/** Those in which its primary accepts no connections. */
const SHUT: readonly Phase[] = ['closed', 'down', 'stopped', 'failed'];

/** Which server does what. Simulated ones are all as they should be. */
export function viewServers(row: ClusterRow) {
  const { observed, spec } = row;
  const phase = phaseOf(row);
  if (row.host === null || row.status === 'PREPARING')
    return { servers: [], phase, missing: null, took_over_at: null };
  const seen = observed?.servers ?? {
    primary: 'a',
    replica: spec.replication === null ? null : { name: 'b', may_take_over: observed === null },
    missing: null,
    took_over_at: null,
  };
  const isStopped = phase === 'stopped';
  const isUp = !SHUT.includes(phase);
  return {
    servers: [
      { name: seen.primary, role: 'primary' as const, is_ready: isUp },
      ...(seen.replica
        ? [
            {
              name: seen.replica.name,
              role: 'replica' as const,
              is_ready: seen.replica.may_take_over && !isStopped,
            },
          ]
        : []),
    ],
    phase,
    missing: seen.missing,
    took_over_at: seen.took_over_at,
  };
}
