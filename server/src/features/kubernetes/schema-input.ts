import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import { Defaulted, Key, ListQuery, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import {
  Authentication,
  AuthenticationChange,
  Cni,
  DdosInput,
  LoggingInput,
  optionalText,
  Strings,
} from './schema-parts.ts';

/** What clients send. */

const CLUSTER_NAME = worded(
  '^[a-z][a-z0-9\\-]{0,18}[a-z0-9]$',
  'must be 2 to 20 lowercase letters, digits or "-", begin with a letter, and end with a letter or digit',
);
const shortName = () => Type.String({ minLength: 1, maxLength: 20, pattern: CLUSTER_NAME });
const nodes = (options = {}) => Type.Integer({ minimum: 1, maximum: 200, ...options });
export const VOLUME_TYPES = [
  'cold',
  'ssd_hiiops',
  'ssd_local',
  'ssd_lowlatency',
  'standard',
  'ultra',
] as const;
const volumeSize = () =>
  Type.Optional(Nullable(Type.Integer({ minimum: 10, maximum: 2000 }), { default: null }));
const policy = () =>
  Defaulted(Nullable(StringEnum(['affinity', 'anti-affinity', 'soft-anti-affinity']), { default: null }));
const maybeFlag = (value: boolean | null) => Type.Optional(Nullable(Type.Boolean(), { default: value }));

const poolFields = {
  name: shortName(),
  flavor_id: Type.String({ maxLength: 255 }),
  min_node_count: nodes(),
  max_node_count: Defaulted(Nullable(nodes(), { default: null })),
  boot_volume_size: volumeSize(),
  boot_volume_type: Type.Optional(Nullable(StringEnum(VOLUME_TYPES), { default: null })),
  is_public_ipv4: maybeFlag(false),
  auto_healing_enabled: maybeFlag(false),
  labels: Type.Optional(Nullable(Strings())),
  taints: Type.Optional(Nullable(Strings())),
  crio_config: Type.Optional(Nullable(Strings(), { default: null })),
  kubelet_config: Type.Optional(Nullable(Strings(), { default: null })),
  security_group_ids: Type.Optional(Type.Array(Uuid())),
  servergroup_policy: policy(),
};

export const CreatePool = Type.Object(poolFields, { $id: 'CreateK8sPool' });
export type CreatePool = Static<typeof CreatePool>;

const slurmOn = {
  enabled: Type.Literal(true),
  file_share_id: Uuid(),
  ssh_key_ids: Type.Array(Uuid(), { minItems: 1 }),
  worker_count: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
};

export const CreateCluster = Type.Object(
  {
    name: shortName(),
    version: Type.String({ maxLength: 50 }),
    keypair: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,61}[a-zA-Z0-9._]$',
    }),
    pools: Type.Array(CreatePool, { minItems: 1 }),
    add_ons: Type.Optional(Type.Object({ slurm: Type.Optional(Type.Object(slurmOn)) })),
    authentication: Type.Optional(Nullable(Authentication, { default: null })),
    autoscaler_config: Defaulted(Nullable(Strings(), { default: null })),
    cni: Type.Optional(Nullable(Cni, { default: null })),
    csi: Type.Optional(
      Type.Object({
        nfs: Type.Optional(
          Type.Object({
            vast_enabled: Type.Optional(Type.Boolean({ default: false })),
            ddn_enabled: Type.Optional(Type.Boolean({ default: false })),
          }),
        ),
      }),
    ),
    ddos_profile: Type.Optional(Nullable(DdosInput, { default: null })),
    fixed_network: Defaulted(Nullable(Type.String(), { default: '' })),
    fixed_subnet: Defaulted(Nullable(Type.String(), { default: '' })),
    is_ipv6: maybeFlag(false),
    logging: Type.Optional(Nullable(LoggingInput, { default: null })),
    pods_ip_pool: optionalText(),
    pods_ipv6_pool: optionalText(),
    services_ip_pool: optionalText(),
    services_ipv6_pool: optionalText(),
  },
  { $id: 'CreateK8sCluster' },
);
export type CreateCluster = Static<typeof CreateCluster>;

const SlurmChange = Type.Unsafe<
  { enabled: true; file_share_id: string; ssh_key_ids: string[]; worker_count: number } | { enabled: false }
>({
  $id: 'SlurmChange',
  oneOf: [
    Type.Object(slurmOn, { $id: 'SlurmOn' }),
    Type.Object({ enabled: Type.Literal(false) }, { $id: 'SlurmOff' }),
  ],
});

export const UpdateCluster = Type.Object(
  {
    add_ons: Type.Optional(Type.Object({ slurm: Type.Optional(SlurmChange) })),
    authentication: Type.Optional(Nullable(AuthenticationChange)),
    autoscaler_config: Type.Optional(Nullable(Strings())),
    cni: Type.Optional(Nullable(Cni)),
    ddos_profile: Type.Optional(Nullable(DdosInput)),
    logging: Type.Optional(Nullable(LoggingInput)),
  },
  { $id: 'UpdateK8sCluster' },
);
export type UpdateCluster = Static<typeof UpdateCluster>;

export const UpdatePool = Type.Object(
  {
    auto_healing_enabled: maybeFlag(null),
    labels: Type.Optional(Nullable(Strings(), { default: null })),
    taints: Type.Optional(Nullable(Strings(), { default: null })),
    min_node_count: Type.Optional(Nullable(Type.Integer(), { default: null })),
    max_node_count: Type.Optional(Nullable(Type.Integer(), { default: null })),
    node_count: Type.Optional(Nullable(Type.Integer(), { default: null, deprecated: true })),
    security_group_ids: Type.Optional(Type.Array(Uuid())),
  },
  { $id: 'UpdateK8sPool' },
);
export type UpdatePool = Static<typeof UpdatePool>;

export const ResizePool = Type.Object({ node_count: nodes() }, { $id: 'ResizeK8sPool' });
export const UpgradeCluster = Type.Object(
  { version: Type.String({ maxLength: 50 }) },
  { $id: 'UpgradeK8sCluster' },
);

export const CheckPool = Type.Object(
  {
    flavor_id: Type.String({ maxLength: 255 }),
    name: optionalText(),
    boot_volume_size: volumeSize(),
    is_public_ipv4: Defaulted(Type.Boolean({ default: false })),
    max_node_count: Type.Optional(Nullable(nodes(), { default: null })),
    min_node_count: Type.Optional(Nullable(nodes(), { default: 1 })),
    node_count: Type.Optional(Nullable(nodes(), { default: 1 })),
    servergroup_policy: policy(),
  },
  { $id: 'CheckK8sPool' },
);
export type CheckPool = Static<typeof CheckPool>;

export const CheckCluster = Type.Object(
  {
    fixed_network: optionalText(),
    logging: Type.Optional(Nullable(LoggingInput, { default: null })),
    pools: Type.Optional(Nullable(Type.Array(CheckPool), { default: null })),
  },
  { $id: 'CheckK8sCluster' },
);
export type CheckCluster = Static<typeof CheckCluster>;

const scope = { project_id: Key(), region_id: Key() };
export const ClusterParams = Type.Object({ ...scope, cluster_name: Type.String() });
export const PoolParams = Type.Object({ ...scope, cluster_name: Type.String(), pool_name: Type.String() });
export const NodeParams = Type.Object({ ...scope, cluster_name: Type.String(), instance_id: Uuid() });
export const PoolNodeParams = Type.Object({
  ...scope,
  cluster_name: Type.String(),
  pool_name: Type.String(),
  instance_id: Uuid(),
});

export const PageQuery = ListQuery({});
export const NodeListQuery = ListQuery({ with_ddos: Defaulted(Type.Boolean({ default: false })) });
export const FlavorListQuery = ListQuery({
  exclude_gpu: Defaulted(Type.Boolean({ default: false })),
  include_capacity: Defaulted(Type.Boolean({ default: false })),
  include_prices: Defaulted(Type.Boolean({ default: false })),
});
export const DeleteClusterQuery = Type.Object({ volumes: Type.Optional(Type.String()) });
