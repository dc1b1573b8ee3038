import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import {
  Defaulted,
  Key,
  ListOf,
  Nullable,
  offsetParameter,
  StringEnum,
  ZuluTime,
} from '../../platform/http/schemas.ts';
import { exceededSchema, REGIONAL_NAMES } from '../quotas/index.ts';
import { PHASES } from './phases.ts';

export const ServiceStatus = Type.Object(
  {
    is_initialized: Type.Boolean({
      description: 'true: activated for the project in the region; false: not',
    }),
  },
  { $id: 'ManagedPostgresqlStatus' },
);
export type ServiceStatus = Static<typeof ServiceStatus>;

const CLUSTER_NAME = worded(
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  'must be lowercase letters, digits or "-", and begin and end with a letter or digit',
);
const WORD = worded('^[a-z]*$', 'must be lowercase letters');
export const newClusterName = () => Type.String({ minLength: 1, maxLength: 50, pattern: CLUSTER_NAME });
const word = () => Type.String({ pattern: WORD });

export const ROLE_ATTRIBUTES = [
  'BYPASSRLS',
  'CREATEDB',
  'CREATEROLE',
  'INHERIT',
  'LOGIN',
  'NOLOGIN',
] as const;
export type RoleAttribute = (typeof ROLE_ATTRIBUTES)[number];
export const POOLER_MODES = ['session', 'statement', 'transaction'] as const;
export type PoolerMode = (typeof POOLER_MODES)[number];
export const CLUSTER_STATUSES = [
  'DELETING',
  'FAILED',
  'PREPARING',
  'READY',
  'UNHEALTHY',
  'UNKNOWN',
  'UPDATING',
] as const;

const Flavor = Type.Object(
  { cpu: Type.Integer({ minimum: 1 }), memory_gib: Type.Integer({ minimum: 1 }) },
  { $id: 'PostgresqlFlavor' },
);
const HighAvailability = Type.Object(
  { replication_mode: StringEnum(['async', 'sync']) },
  { $id: 'PostgresqlHighAvailability' },
);
const acl = () =>
  Type.Array(Type.String(), {
    description: 'Addresses and networks that may connect, such as 203.0.113.7 and 10.0.0.0/8',
  });
const Network = Type.Object(
  { network_type: Type.Literal('public'), acl: acl() },
  { $id: 'PostgresqlNetwork' },
);
const Pooler = Type.Object(
  {
    mode: StringEnum(POOLER_MODES),
    type: Type.Optional(Type.Literal('pgbouncer', { default: 'pgbouncer' })),
  },
  { $id: 'PostgresqlPooler' },
);
const pgConf = () => Type.String({ maxLength: 65_536, description: 'Lines as in postgresql.conf' });
const version = () => Type.String({ description: 'Major version, such as 18' });
const pooler = () => Type.Optional(Nullable(Pooler, { default: null }));
const serverConfiguration = ($id: string) =>
  Type.Object({ pg_conf: pgConf(), version: version(), pooler: pooler() }, { $id });
const ServerConfigurationChange = Type.Object(
  {
    pg_conf: Type.Optional(Nullable(pgConf(), { default: null })),
    version: Type.Optional(Nullable(version(), { default: null })),
    pooler: pooler(),
  },
  { $id: 'PostgresqlServerConfigurationChange' },
);
const sizeGib = () => Type.Integer({ minimum: 1, maximum: 100 });
const storage = ($id: string) => Type.Object({ size_gib: sizeGib(), type: Type.String() }, { $id });
const StorageSize = Type.Object({ size_gib: sizeGib() }, { $id: 'PostgresqlStorageSize' });
const Database = Type.Object(
  { name: word(), owner: Type.String({ description: 'One of the users' }) },
  { $id: 'PostgresqlDatabase' },
);
const roleAttributes = () => Type.Array(StringEnum(ROLE_ATTRIBUTES), { uniqueItems: true });
const User = Type.Object({ name: word(), role_attributes: roleAttributes() }, { $id: 'PostgresqlUser' });

export const CreateCluster = Type.Object(
  {
    cluster_name: newClusterName(),
    flavor: Flavor,
    storage: storage('PostgresqlStorage'),
    network: Network,
    high_availability: Nullable(HighAvailability),
    pg_server_configuration: serverConfiguration('PostgresqlServerConfiguration'),
    databases: Defaulted(Type.Array(Database, { default: [] })),
    users: Defaulted(Type.Array(User, { default: [] })),
  },
  { $id: 'CreatePostgresqlCluster' },
);
export type CreateCluster = Static<typeof CreateCluster>;

const change = <T extends Parameters<typeof Nullable>[0]>(schema: T) =>
  Type.Optional(Nullable(schema, { default: null }));

/** What is left out or null stays as it is. Databases and users that are named are added or changed; none goes. */
export const UpdateCluster = Type.Object(
  {
    flavor: change(Flavor),
    storage: change(StorageSize),
    network: change(Network),
    high_availability: change(HighAvailability),
    pg_server_configuration: change(ServerConfigurationChange),
    databases: Defaulted(Type.Array(Database, { default: [] })),
    users: Defaulted(Type.Array(User, { default: [] })),
  },
  { $id: 'UpdatePostgresqlCluster' },
);
export type UpdateCluster = Static<typeof UpdateCluster>;

export const Cluster = Type.Object(
  {
    cluster_name: newClusterName(),
    created_at: ZuluTime(),
    status: StringEnum(CLUSTER_STATUSES),
    flavor: Flavor,
    storage: storage('PostgresqlStorageView'),
    network: Type.Object(
      {
        network_type: Type.Literal('public'),
        acl: acl(),
        host: Type.String({ description: 'Empty until the cluster has its place' }),
        connection_string: Type.String({ description: 'Without a password' }),
      },
      { $id: 'PostgresqlNetworkView' },
    ),
    high_availability: Nullable(HighAvailability),
    pg_server_configuration: serverConfiguration('PostgresqlServerConfigurationView'),
    databases: Type.Array(
      Type.Object(
        { name: word(), owner: Type.String(), size: Type.Integer({ description: 'Bytes' }) },
        { $id: 'PostgresqlDatabaseView' },
      ),
    ),
    users: Type.Array(
      Type.Object(
        {
          name: word(),
          role_attributes: roleAttributes(),
          is_secret_revealed: Type.Boolean({ description: 'Whether the password was shown' }),
        },
        { $id: 'PostgresqlUserView' },
      ),
    ),
  },
  { $id: 'PostgresqlCluster' },
);
export type ClusterView = Static<typeof Cluster>;

export const ClusterList = ListOf(
  Type.Object(
    {
      cluster_name: Type.String(),
      created_at: ZuluTime(),
      status: StringEnum(CLUSTER_STATUSES),
      version: Type.String(),
    },
    { $id: 'PostgresqlClusterShort' },
  ),
  'PostgresqlClusterList',
);

export const Credentials = Type.Object(
  { username: Type.String(), password: Type.String() },
  { $id: 'PostgresqlCredentials' },
);

export const Authority = Type.Object(
  { ca_certificate: Type.String({ description: 'PEM' }) },
  { $id: 'PostgresqlAuthority' },
);

export const Configuration = Type.Object(
  {
    versions: Type.Array(Type.String()),
    storage_classes: Type.Array(Type.Object({ name: Type.String() }, { $id: 'PostgresqlStorageClass' })),
    flavors: Type.Array(
      Type.Object(
        {
          cpu: Type.Integer({ minimum: 1 }),
          memory_gib: Type.Integer({ minimum: 1 }),
          pg_conf: Type.String({ description: 'Settings that suit it' }),
        },
        { $id: 'PostgresqlFlavorConfiguration' },
      ),
    ),
  },
  { $id: 'PostgresqlConfiguration' },
);

export const ConfToCheck = Type.Object(
  { pg_conf: pgConf(), version: version() },
  { $id: 'PostgresqlConfToCheck' },
);
export const CheckedConf = Type.Object(
  { is_valid: Type.Boolean(), errors: Type.Array(Type.String()) },
  { $id: 'PostgresqlCheckedConf' },
);

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });
/** Where nothing is measured, every number is 0. */
export const Metrics = Type.Object(
  {
    connections: Type.Object({ active: count(), idle: count(), max: count() }),
    transactions: Type.Object({ committed: count(), rolled_back: count(), deadlocks: count() }),
    rows: Type.Object({ returned: count(), inserted: count(), updated: count(), deleted: count() }),
    blocks: Type.Object({ read: count('From the disk'), hit: count('From memory') }),
    storage: Type.Object({ used_bytes: count(), size_bytes: count() }),
  },
  { $id: 'PostgresqlMeasured' },
);
export type Metrics = Static<typeof Metrics>;
export const MetricsView = Type.Object(
  {
    ...Metrics.properties,
    fault: Nullable(Type.String(), { description: 'Why the cluster is UNHEALTHY; null: it is not' }),
  },
  { $id: 'PostgresqlMetrics' },
);

const Point = Type.Object(
  {
    time: ZuluTime({ description: 'When it was measured' }),
    connections: count('Open, active or idle'),
    max_connections: count(),
    used_bytes: count('Of its storage'),
    size_bytes: count('Of its storage'),
    transactions_per_second: Nullable(Type.Number(), {
      description: 'Since the point before; null: its server was started again, or this is the first',
    }),
    hit_percent: Nullable(Type.Number(), {
      description: 'Blocks that were found in memory since the point before; null: none was read',
    }),
  },
  { $id: 'PostgresqlPoint' },
);
export const Series = ListOf(Point, 'PostgresqlSeries');

export const Servers = Type.Object(
  {
    servers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Stays with the server when its role changes' }),
          role: StringEnum(['primary', 'replica']),
          is_ready: Type.Boolean({
            description: 'Of the primary: it accepts connections. Of the replica: it can take over now',
          }),
        },
        { $id: 'PostgresqlServer' },
      ),
      { description: 'The primary first; empty until the cluster has its place' },
    ),
    phase: StringEnum(PHASES, {
      description:
        'What the cluster is doing. `read_only`: its storage is full; `closed`: it was written to all the same, and nobody may connect; `stopped`: its client is suspended',
    }),
    missing: Nullable(Type.String(), { description: 'What is still to come, in words; null: nothing' }),
    took_over_at: Nullable(Type.String({ format: 'date-time' }), {
      description: 'When a replica that took over let clients in last; null: never',
    }),
  },
  { $id: 'PostgresqlServers' },
);

/** Limit, usage and request of each quota that would be exceeded; empty when all suffice. */
export const ExceededLimits = exceededSchema(REGIONAL_NAMES, 'PostgresqlExceededLimits');

const scope = { project_id: Key(), region_id: Key() };
export const ClusterParams = Type.Object({ ...scope, cluster_name: Type.String() });
export const UserParams = Type.Object({ ...scope, cluster_name: Type.String(), username: Type.String() });
export const ListClusters = Type.Object({
  limit: Defaulted(Type.Integer({ minimum: 0, maximum: 1000, default: 10 })),
  offset: offsetParameter(),
  name: Type.Optional(Type.String({ description: 'Part of the name' })),
});
