import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { ListOf, Nullable, StringEnum, ZuluTime } from '../../platform/http/schemas.ts';
import { exceededSchema } from '../quotas/index.ts';
import { Cni, DdosInput, LoggingView, Oidc, Strings } from './schema-parts.ts';
import { NODE_STATES } from './states.ts';

/** What clients see. */

const text = () => Type.String();
const maybe = <T extends TSchema>(schema: T, value: unknown = null) =>
  Type.Optional(Nullable(schema, { default: value }));

export const Pool = Type.Object(
  {
    id: text(),
    name: text(),
    status: text(),
    flavor_id: text(),
    node_count: Type.Integer(),
    min_node_count: Type.Integer(),
    max_node_count: Type.Integer(),
    boot_volume_size: Type.Integer(),
    boot_volume_type: text(),
    is_public_ipv4: Type.Boolean(),
    auto_healing_enabled: Type.Boolean(),
    labels: Strings(),
    taints: Strings(),
    crio_config: Strings(),
    kubelet_config: Strings(),
    security_group_ids: Type.Array(text()),
    servergroup_id: Type.String({ default: '' }),
    servergroup_name: Type.String({ default: '' }),
    servergroup_policy: Type.String({ default: '' }),
    created_at: ZuluTime(),
  },
  { $id: 'K8sPool' },
);
export const PoolList = ListOf(Pool, 'K8sPoolList');
/** As its cluster shows it. */
const PoolOfCluster = Type.Object(
  {
    ...Pool.properties,
    security_group_ids: Nullable(Type.Array(text()), {
      description: 'Security groups of its nodes, as they were asked for; null: nobody has asked for any.',
    }),
  },
  { $id: 'K8sPoolOfCluster' },
);
export type PoolView = Static<typeof Pool>;

export const CLUSTER_STATUSES = ['Deleting', 'Provisioned', 'Provisioning'] as const;

export const Cluster = Type.Object(
  {
    id: text(),
    name: text(),
    version: text(),
    status: StringEnum(CLUSTER_STATUSES),
    keypair: text(),
    pools: Type.Array(PoolOfCluster),
    add_ons: Type.Object({
      slurm: Type.Object({
        enabled: Type.Boolean(),
        file_share_id: Nullable(text()),
        ssh_key_ids: Nullable(Type.Array(text())),
        worker_count: Nullable(Type.Integer()),
      }),
    }),
    authentication: Type.Optional(
      Nullable(
        Type.Object({
          kubeconfig_created_at: Type.Optional(Nullable(ZuluTime(), { default: null })),
          kubeconfig_expires_at: Type.Optional(Nullable(ZuluTime(), { default: null })),
          oidc: Type.Optional(Nullable(Oidc, { default: null })),
        }),
        { default: null },
      ),
    ),
    autoscaler_config: Type.Optional(Nullable(Strings(), { default: null })),
    cni: Type.Optional(Nullable(Cni, { default: null })),
    csi: Type.Object({ nfs: Type.Object({ vast_enabled: Type.Boolean(), ddn_enabled: Type.Boolean() }) }),
    ddos_profile: Type.Optional(Nullable(DdosInput, { default: null })),
    fixed_network: maybe(text(), ''),
    fixed_subnet: maybe(text(), ''),
    is_ipv6: Type.Boolean({ default: false }),
    is_public: Type.Boolean(),
    logging: Nullable(LoggingView),
    pods_ip_pool: maybe(text(), '172.16.0.0/18'),
    services_ip_pool: maybe(text(), '172.24.0.0/18'),
    pods_ipv6_pool: maybe(text()),
    services_ipv6_pool: maybe(text()),
    created_at: ZuluTime(),
    creator_task_id: maybe(text()),
    task_id: maybe(text()),
  },
  { $id: 'K8sCluster' },
);
export const ClusterList = ListOf(Cluster, 'K8sClusterList');

const Node = Type.Object(
  {
    id: Type.String({ description: 'Of its instance.' }),
    name: text(),
    pool_name: Type.String({ description: 'The pool that it is in.' }),
    version: Type.String({ description: 'Of Kubernetes, as it was started with.' }),
    address: Type.String({ description: 'In the network of the cluster.' }),
    state: StringEnum(NODE_STATES, { description: '`UNREADY`: it was ready, and is not at present.' }),
    since: ZuluTime({ description: 'When it got into this state.' }),
    reason: Nullable(Type.String(), {
      description: 'Why it is not ready, and what comes of it; null: it is ready.',
    }),
    pod_count: Nullable(Type.Integer(), {
      description: 'Pods on it that have not ended; null: not known at present, or the region is simulated.',
    }),
  },
  { $id: 'K8sNodeState' },
);

const podCounts = {
  pending: Type.Integer({ description: 'Pods that are being started, or fit nowhere.' }),
  running: Type.Integer({ description: 'Pods that have been started, whether they are ready or not.' }),
  succeeded: Type.Integer({ description: 'Pods that have done their work.' }),
  failed: Type.Integer({ description: 'Pods that have ended with a fault.' }),
  unknown: Type.Integer({ description: 'Pods of which nothing is heard.' }),
};
const Pods = Type.Object(
  {
    count: Type.Integer({ description: 'Pods that were counted.' }),
    ...podCounts,
    is_complete: Type.Boolean({
      description: 'False: there are more than 5,000, of which some are counted.',
    }),
    namespaces: Type.Array(
      Type.Object(
        { name: text(), count: Type.Integer({ description: 'Pods in it.' }), ...podCounts },
        { $id: 'K8sNamespacePods' },
      ),
      { description: 'The 100 with the most pods, those with the most first.' },
    ),
    not_ready_count: Type.Integer({ description: 'Pods that should be ready and are not.' }),
    not_ready: Type.Array(
      Type.Object(
        {
          namespace: Type.String({ description: 'The namespace that it is in.' }),
          name: text(),
          node: Nullable(Type.String(), { description: 'The name of its node; null: it has none yet.' }),
          reason: Type.String({ description: 'In the word of Kubernetes: `CrashLoopBackOff`.' }),
          message: Nullable(Type.String(), { description: 'What Kubernetes says of it.' }),
          restarts: Type.Integer({ description: 'How often its containers were started again.' }),
          since: ZuluTime({ description: 'Since when it is not ready.' }),
        },
        { $id: 'K8sPodNotReady' },
      ),
      { description: 'The first 50 of them, by namespace and name.' },
    ),
  },
  { $id: 'K8sPods' },
);

/** How a cluster is reached, and how its nodes and pods are. */
export const ClusterState = Type.Object(
  {
    api_url: Nullable(Type.String(), {
      description: 'Where its API is: `https://10.0.0.5:6443`; null: it is still being created.',
    }),
    control_plane_version: Nullable(Type.String(), {
      description:
        'Of its control plane, which an upgrade brings to the new version before the nodes; null: none yet.',
    }),
    not_served: Nullable(Type.String(), { description: 'Why it does not serve; null: it does.' }),
    is_simulated: Type.Boolean({ description: 'Whether nothing answers there.' }),
    network_id: Type.String({ description: 'The network that its nodes are in.' }),
    network_name: Nullable(Type.String(), {
      description:
        'What people call that network; null: it is no network of the project, but one of the cluster alone.',
    }),
    nodes: Type.Array(Node, { description: 'The oldest first.' }),
    pods: Nullable(Pods, {
      description: 'How its pods are; null: its API does not answer at present, or the region is simulated.',
    }),
  },
  { $id: 'K8sClusterState' },
);

export const VersionList = ListOf(Type.Object({ version: text() }, { $id: 'K8sVersion' }), 'K8sVersionList');

export const Certificates = Type.Object({ certificate: text(), key: text() }, { $id: 'K8sCertificates' });

export const Kubeconfig = Type.Object(
  {
    client_certificate: text(),
    client_key: text(),
    cluster_ca_certificate: text(),
    config: text(),
    created_at: ZuluTime(),
    expires_at: ZuluTime(),
    host: text(),
  },
  { $id: 'K8sKubeconfig' },
);

export const FlavorView = Type.Object(
  {
    flavor_id: text(),
    flavor_name: text(),
    architecture: text(),
    os_type: text(),
    vcpus: Type.Integer(),
    ram: Type.Integer(),
    disabled: Type.Boolean(),
    resource_class: Nullable(text()),
    hardware_description: Type.Optional(Strings()),
    capacity: maybe(Type.Integer()),
    reserved_capacity: maybe(Type.Integer()),
    currency_code: maybe(text()),
    price_per_hour: Type.Optional(Nullable(Type.Number(), { default: null })),
    price_per_month: Type.Optional(Nullable(Type.Number(), { default: null })),
    price_status: Type.Optional(Nullable(StringEnum(['error', 'hide', 'show']), { default: null })),
  },
  { $id: 'K8sFlavor' },
);
export const FlavorList = ListOf(FlavorView, 'K8sFlavorList');

/** The quotas that a cluster can exceed. */
export const CHECKED_QUOTAS = [
  'baremetal_gpu_a100_count',
  'baremetal_gpu_h100_count',
  'baremetal_gpu_h200_count',
  'baremetal_gpu_l40s_count',
  'baremetal_hf_count',
  'cluster_count',
  'cpu_count',
  'external_ip_count',
  'firewall_count',
  'floating_count',
  'gpu_count',
  'gpu_virtual_a100_count',
  'gpu_virtual_h100_count',
  'gpu_virtual_h200_count',
  'gpu_virtual_l40s_count',
  'laas_topic_count',
  'loadbalancer_count',
  'ram',
  'servergroup_count',
  'vm_count',
  'volume_count',
  'volume_size',
] as const;

/** Limit, usage and request of each quota that would be exceeded; empty when all suffice. */
export const ExceededLimits = exceededSchema(CHECKED_QUOTAS, 'K8sExceededLimits');
