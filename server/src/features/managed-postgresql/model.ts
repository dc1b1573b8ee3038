import type { Transitions } from '../../kernel/transitions.ts';
import type { RowOf } from '../../platform/database/rows.ts';
import type { BackupSchedule, ObservedCluster, RestoreSource } from './port.ts';
import type { CreateCluster, PoolerMode, RoleAttribute, UpdateCluster } from './schema.ts';

/** What a cluster is, and what becomes of it. */

export interface Flavor {
  readonly cpu: number;
  readonly memory_gib: number;
}

export interface ClusterUser {
  readonly name: string;
  readonly role_attributes: readonly RoleAttribute[];
}

export interface ClusterDatabase {
  readonly name: string;
  readonly owner: string;
}

export interface ClusterSpec {
  readonly version: string;
  readonly flavor: Flavor;
  readonly storage: { readonly size_gib: number; readonly type: string };
  readonly acl: readonly string[];
  readonly replication: 'async' | 'sync' | null;
  readonly pooler: PoolerMode | null;
  readonly pg_conf: string;
  readonly databases: readonly ClusterDatabase[];
  readonly users: readonly ClusterUser[];
}

export type ClusterStatus = 'PREPARING' | 'READY' | 'UPDATING' | 'DELETING' | 'FAILED';

/** A cluster whose creation fails is gone. */
export const CLUSTER_TRANSITIONS: Transitions<ClusterStatus> = {
  // Failed: its task was lost.
  PREPARING: ['READY', 'FAILED', 'DELETING'],
  READY: ['UPDATING', 'DELETING'],
  // A deletion waits for no change.
  UPDATING: ['READY', 'DELETING'],
  // It may have lost its data.
  DELETING: ['FAILED'],
  FAILED: ['DELETING'],
};

export const CLUSTER_COLUMNS = [
  'id',
  'client_id',
  'project_id',
  'region_id',
  'name',
  'status',
  'spec',
  'next_spec',
  'host',
  'observed',
  'backups',
  'restored_from',
  'ca_certificate',
  'server_certificate',
  'tls_key_id',
  'sealed_tls_key',
  'task_id',
  'created_at',
] as const;

export type ClusterRow = RowOf<
  'postgresql_clusters',
  typeof CLUSTER_COLUMNS,
  {
    status: ClusterStatus;
    spec: ClusterSpec;
    next_spec: ClusterSpec | null;
    observed: ObservedCluster | null;
    backups: BackupSchedule | null;
    restored_from: RestoreSource | null;
  }
>;

/** What one cluster counts into quotas. */
export const CLUSTER_AMOUNTS = { dbaas_postgres_cluster_count: 1 } as const;

export function specOf(input: CreateCluster): ClusterSpec {
  const { pg_server_configuration: server } = input;
  return {
    version: server.version,
    flavor: input.flavor,
    storage: input.storage,
    acl: input.network.acl,
    replication: input.high_availability?.replication_mode ?? null,
    pooler: server.pooler?.mode ?? null,
    pg_conf: server.pg_conf,
    databases: input.databases,
    users: input.users,
  };
}

export function changedSpec(spec: ClusterSpec, input: UpdateCluster): ClusterSpec {
  const server = input.pg_server_configuration;
  return {
    version: server?.version ?? spec.version,
    flavor: input.flavor ?? spec.flavor,
    storage: { ...spec.storage, size_gib: input.storage?.size_gib ?? spec.storage.size_gib },
    acl: input.network?.acl ?? spec.acl,
    replication: input.high_availability?.replication_mode ?? spec.replication,
    pooler: server?.pooler?.mode ?? spec.pooler,
    pg_conf: server?.pg_conf ?? spec.pg_conf,
    databases: withChanges(spec.databases, input.databases),
    users: withChanges(spec.users, input.users),
  };
}

/** Those there were, changed where they are named, then those that are new. */
function withChanges<T extends { readonly name: string }>(before: readonly T[], named: readonly T[]): T[] {
  const changes = new Map(named.map((one) => [one.name, one]));
  const known = new Set(before.map(({ name }) => name));
  return [
    ...before.map((one) => changes.get(one.name) ?? one),
    ...named.filter(({ name }) => !known.has(name)),
  ];
}

const namesBeside = (
  all: readonly { readonly name: string }[],
  those: readonly { readonly name: string }[],
) => all.map(({ name }) => name).filter((name) => !those.some((one) => one.name === name));

/** What `next` adds to `spec`. */
export const additionsOf = (spec: ClusterSpec, next: ClusterSpec) => ({
  databases: namesBeside(next.databases, spec.databases),
  users: namesBeside(next.users, spec.users),
});
