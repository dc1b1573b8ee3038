/** Which word stands for which part of the API. */
export interface Noun {
  readonly noun: string;
  /** Heading in the help. */
  readonly group: string;
  readonly means: string;
  /** Beginnings of paths without parameters and versions, with the area where two areas use the same word. */
  readonly paths: readonly string[];
  /** What it is called in names of operations, longest first. */
  readonly names: readonly string[];
}

/** Words with what they mean, their paths and their names. */
type Row = readonly [noun: string, means: string, paths: string, names: string];

const nounsOf = (group: string, rows: readonly Row[]): readonly Noun[] =>
  rows.map(([noun, means, paths, names]) => ({
    noun,
    group,
    means,
    paths: paths.split(' '),
    names: names.split(' '),
  }));

export const NOUNS: readonly Noun[] = [
  ...nounsOf('Load balancing:', [
    ['lb', 'load balancers', 'loadbalancers lbflavors pricing/loadbalancers', 'LoadBalancer'],
    ['listener', 'ports that load balancers listen on', 'lblisteners', 'Listener'],
    ['pool', 'servers that share the traffic of a listener', 'lbpools loadbalancers/pools', 'Pool'],
    ['l7policy', 'rules by path, host or header', 'l7policies', 'L7Policy L7Policie'],
    ['secret', 'certificates with their keys', 'secrets', 'Secret'],
    [
      'response-page',
      'pages that visitors of a protected site see',
      'custom-page-sets preview-custom-page',
      'CustomPageSet CustomPage',
    ],
    ['video', 'signed addresses of video', 'video', 'Video'],
  ]),
  ...nounsOf('Instances and clusters:', [
    ['instance', 'virtual machines', 'instances pricing/instances', 'Instance'],
    ['flavor', 'sizes of instances', 'flavors', 'Flavor'],
    ['image', 'what volumes are made from', 'images projectimages downloadimage pricing/images', 'Image'],
    ['volume', 'disks of instances', 'volumes pricing/volumes', 'Volume'],
    ['snapshot', 'copies of volumes', 'snapshots pricing/snapshots', 'Snapshot'],
    [
      'lifecycle-policy',
      'snapshots by schedules',
      'lifecycle_policy pricing/lifecycle_policy schedule',
      'LifecyclePolicy LifecyclePolicie',
    ],
    [
      'k8s',
      'Kubernetes clusters',
      'k8s pricing/k8s simulation/k8s_nodes simulation/k8s_pools',
      'KubernetesCluster Cluster',
    ],
    ['ssh-key', 'public keys that instances accept', 'cloud/ssh_keys keypairs', 'SshKey KeyPair'],
    ['server-group', 'which instances belong on one host, and which apart', 'servergroups', 'ServerGroup'],
  ]),
  ...nounsOf('Networks:', [
    [
      'security-group',
      'which traffic reaches instances',
      'securitygroups security_groups securitygrouprules',
      'SecurityGroup',
    ],
    ['network', 'private networks', 'networks availablenetworks ipranges', 'Network'],
    ['subnet', 'address ranges of networks', 'subnets', 'Subnet'],
    ['router', 'what connects networks', 'routers', 'Router'],
    ['port', 'connections to networks', 'ports', 'Port'],
    [
      'floating-ip',
      'public addresses that can be moved',
      'floatingips availablefloatingips pricing/floating_ips',
      'FloatingIp',
    ],
    [
      'reserved-ip',
      'addresses that are kept',
      'reserved_fixed_ips pricing/reserved_fixed_ips',
      'ReservedFixedIp',
    ],
  ]),
  ...nounsOf('Data:', [
    [
      'pg',
      'PostgreSQL clusters',
      'dbaas postgresql_clusters',
      'PostgresqlCluster PostgresCluster Postgresql Postgres',
    ],
    [
      'storage',
      'S3 storages, their buckets and keys',
      'object_storages locations stats provisioning/storage provisioning/location provisioning/locations',
      'ObjectStorageStorage ObjectStorage',
    ],
    ['sftp', 'SFTP storages', 'sftp_storages', 'SftpStorage'],
    ['sftp-key', 'SSH keys of SFTP storages', 'storage/ssh_keys provisioning/key', 'StorageSshKey'],
    [
      'storage-event',
      'thresholds of storages',
      'storage/notifications clients/storages storage_usage',
      'StorageEvent',
    ],
  ]),
  ...nounsOf('Account and project:', [
    ['project', 'what holds resources', 'projects map', 'Project'],
    ['region', 'where resources live', 'regions laas', 'Region'],
    ['attention', 'what of a project needs a person', 'attention', 'Attention'],
    ['notification', 'what people were notified of', 'virga/notifications', 'Notification'],
    ['resource', 'what there is, found by name, id, address or tag', 'search', 'Resource'],
    ['task', 'changes that take time', 'tasks', 'Task'],
    ['cost', 'what was used, and what it costs', 'cost_report usage_report', 'CostReport UsageReport'],
    [
      'quota',
      'limits, and requests for more',
      'client_quotas global_quotas regional_quotas limits_request limits_requests',
      'Quota',
    ],
    ['token', 'API tokens', 'clients/tokens', 'ClientToken'],
    ['account', 'who the token belongs to', 'clients/me', 'Account'],
    ['user', 'people of the account', 'users clients/client-users clients/invite_user email', 'User'],
    ['role', 'what people may do', 'users/assignments users/roles', 'RoleAssignment Role'],
    ['invitation', 'invitations to an account', 'invitations', 'Invitation'],
    ['session', 'sign-ins of people', 'session sessions auth activity_log password', 'Session'],
    ['second-factor', 'second factors of people', 'second_factors', 'SecondFactor'],
    [
      'user-action',
      'what users and tokens have changed',
      'user_actions audit_log user_action_deliveries user_action_subscriptions',
      'UserAction',
    ],
    ['inference-secret', 'credentials for inference', 'inference/secrets', 'InferenceSecret'],
    [
      'registry-credential',
      'sign-ins to registries of containers',
      'inference/registry_credentials',
      'InferenceRegistryCredential',
    ],
  ]),
  ...nounsOf('Operators:', [
    ['client', 'accounts of the cloud', 'clients virga/clients/tokens', 'Client'],
    ['node', 'machines that run the cloud', 'nodes', 'Node'],
    ['any-task', 'tasks of all clients', 'all_tasks', 'OperatorTask'],
    ['engine', 'programs that regions run on', 'engines', 'Engine'],
    ['engine-object', 'what resources are in the clouds of regions', 'engine_objects', 'EngineObject'],
    ['webhook', 'where events are sent', 'webhook_targets webhook_deliveries', 'WebhookTarget Webhook'],
    ['mail', 'mail that was sent or waits', 'outbox', 'Mail'],
    ['fault', 'failures of simulated regions', 'simulation/faults', 'SimulatedFault'],
  ]),
];
/** Verbs of operations whose names do not say enough without the noun. */
export const VERBS: Readonly<Record<string, string>> = {
  clearSimulatedFaults: 'clear-all',
  setStorageEvents: 'set-several',
};

/** Lists in which names of parameters and fields are looked up, by how the name ends. */
export const LISTS: Readonly<Record<string, string>> = {
  network_id: 'listNetworks',
  subnet_id: 'listSubnets',
  volume_id: 'listVolumes',
  snapshot_id: 'listSnapshots',
  image_id: 'listImages',
  instance_id: 'listInstances',
  router_id: 'listRouters',
  floating_ip_id: 'listFloatingIps',
  security_group: 'listSecurityGroups',
  remote_group_id: 'listSecurityGroups',
  servergroup_id: 'listServerGroups',
  load_balancer_id: 'listLoadBalancers',
  loadbalancer_id: 'listLoadBalancers',
  listener_id: 'listListeners',
  pool_id: 'listPools',
  secret_id: 'listSecrets',
  userId: 'listUsers',
};
