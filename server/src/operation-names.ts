/** What the operations are called in the document, and in the clients that are made of it: `createLoadBalancer`. The
 *  names follow from the method and the path; what comes out odd has one of its own. */

/** The words of paths, as one thing; with the plural where it is not that with an `s`. */
const NOUNS: Readonly<Record<string, string | readonly [string, string]>> = {
  access_keys: 'StorageAccessKey',
  activity_log: 'Activity',
  buckets: 'StorageBucket',
  assignments: 'RoleAssignment',
  available_devices: 'AvailableDevice',
  available_flavors: 'AvailableFlavor',
  availablenetworks: 'AvailableNetwork',
  certificates: ['Certificates', 'Certificates'],
  'client-users': 'ClientUser',
  client_quotas: ['Quotas', 'Quotas'],
  clients: 'Client',
  clusters: 'Cluster',
  connected_devices: 'ConnectedDevice',
  create_versions: 'CreateVersion',
  'custom-page-sets': 'CustomPageSet',
  events: 'StorageEvent',
  event: 'StorageEvent',
  engines: 'Engine',
  flavors: 'Flavor',
  floatingips: 'FloatingIp',
  healthmonitor: 'HealthMonitor',
  images: 'Image',
  instances: 'Instance',
  interfaces: 'Interface',
  keypairs: 'KeyPair',
  l7policies: ['L7Policy', 'L7Policies'],
  lbflavors: 'LoadBalancerFlavor',
  lblisteners: 'Listener',
  lbpools: 'Pool',
  limits_request: 'LimitsRequest',
  limits_requests: 'LimitsRequest',
  loadbalancers: 'LoadBalancer',
  logins: 'Login',
  member: 'Member',
  members: 'Member',
  networks: 'Network',
  object_storages: 'ObjectStorage',
  pools: 'Pool',
  nodes: 'Node',
  ports: 'Port',
  projects: 'Project',
  regions: 'Region',
  reserved_fixed_ips: 'ReservedFixedIp',
  roles: 'Role',
  routers: 'Router',
  rules: 'Rule',
  secrets: 'Secret',
  security_groups: 'SecurityGroup',
  securitygrouprules: 'SecurityGroupRule',
  securitygroups: 'SecurityGroup',
  servergroups: 'ServerGroup',
  sessions: 'Session',
  sftp_storages: 'SftpStorage',
  snapshots: 'Snapshot',
  ssh_keys: 'SshKey',
  storages: 'Storage',
  subnets: 'Subnet',
  tasks: 'Task',
  tokens: 'Token',
  upgrade_versions: ['UpgradeVersion', 'UpgradeVersions'],
  usage_reports: 'UsageReport',
  user_actions: 'UserAction',
  users: 'User',
  volumes: 'Volume',
  webhook_deliveries: ['WebhookDelivery', 'WebhookDeliveries'],
  webhook_targets: 'WebhookTarget',
};

/** What a POST does to the thing before it, where it does not create something below it. */
const ACTIONS: Readonly<Record<string, readonly [string, string]>> = {
  acknowledge: ['acknowledge', ''],
  action: ['act', 'On'],
  addsecuritygroup: ['addSecurityGroup', 'To'],
  approve: ['approve', ''],
  assign: ['assign', ''],
  attach: ['attach', ''],
  attach_interface: ['attachInterface', 'To'],
  changeflavor: ['changeFlavor', 'Of'],
  check_limits: ['checkLimits', 'For'],
  convert: ['convert', ''],
  copy: ['copy', ''],
  delsecuritygroup: ['removeSecurityGroup', 'From'],
  detach: ['detach', ''],
  detach_interface: ['detachInterface', 'From'],
  disable_port_security: ['disableSecurity', 'Of'],
  enable_port_security: ['enableSecurity', 'Of'],
  extend: ['extend', ''],
  failover: ['failOver', ''],
  metrics: ['readMetrics', 'Of'],
  powercycle: ['powerCycle', ''],
  reboot: ['reboot', ''],
  reject: ['reject', ''],
  resize: ['resize', ''],
  resume: ['resume', ''],
  retype: ['retype', ''],
  revert: ['revert', ''],
  start: ['start', ''],
  stop: ['stop', ''],
  suspend: ['suspend', ''],
  unassign: ['unassign', ''],
  upgrade: ['upgrade', ''],
};

/** By method and path, for what does not follow from them. */
const OWN: Readonly<Record<string, string>> = {
  'GET /iam/clients/me': 'getAccount',
  'POST /iam/auth/jwt/login': 'signIn',
  'POST /iam/auth/jwt/refresh': 'refreshAccess',
  'GET /iam/auth/jwt/clients/{clientId}/login': 'signInToClient',
  'POST /iam/auth/password/forgot': 'askForNewPassword',
  'POST /virga/v1/password': 'setForgottenPassword',
  'PUT /iam/users/{userId}/password': 'changePassword',
  'PUT /iam/users/{userId}/email': 'changeEmail',
  'POST /virga/v1/email': 'confirmEmail',
  'GET /iam/activity_log/logins': 'listSignIns',
  'POST /virga/v1/session': 'startSession',
  'GET /virga/v1/session': 'getSession',
  'DELETE /virga/v1/session': 'endSession',
  'GET /virga/v1/sessions': 'listSessions',
  'DELETE /virga/v1/sessions': 'endOtherSessions',
  'GET /virga/v1/simulation/{region_id}/faults': 'listSimulatedFaults',
  'POST /virga/v1/simulation/{region_id}/faults': 'setSimulatedFault',
  'DELETE /virga/v1/simulation/{region_id}/faults': 'clearSimulatedFaults',
  'DELETE /virga/v1/simulation/{region_id}/faults/{fault_id}': 'clearSimulatedFault',
  'DELETE /virga/v1/sessions/{session_id}': 'endSessionOf',
  'GET /virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/backups':
    'listPostgresqlBackups',
  'PUT /virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/backups':
    'schedulePostgresqlBackups',
  'DELETE /virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/backups':
    'endPostgresqlBackups',
  'POST /virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/restore':
    'restorePostgresqlCluster',
  'POST /iam/clients/invite_user': 'inviteUser',
  'POST /virga/v1/invitations/show': 'showInvitation',
  'POST /virga/v1/invitations/accept': 'acceptInvitation',
  'POST /virga/v1/invitations/decline': 'declineInvitation',
  'GET /cloud/v1/users': 'listCloudUsers',
  'POST /iam/clients/create': 'createOwnClient',
  'GET /virga/v1/outbox': 'listMail',
  'GET /cloud/v1/tasks/{project_id}/{region_id}/active': 'listActiveTasks',
  'GET /cloud/v1/tasks/stream': 'streamTasks',
  'GET /virga/v1/tasks/{task_id}/locks': 'listTaskLocks',
  'POST /cloud/v1/tasks/acknowledge_all': 'acknowledgeAllTasks',
  'POST /cloud/v1/tasks/acknowledge': 'acknowledgeTasksV1',
  'GET /cloud/v2/client_quotas': 'getQuotas',
  'GET /cloud/v2/global_quotas/{client_id}': 'getGlobalQuotas',
  'GET /cloud/v2/regional_quotas/{client_id}/{region_id}': 'getRegionalQuotas',
  'GET /cloud/v2/client_quotas/{client_id}/notification_threshold': 'getQuotaThreshold',
  'PUT /cloud/v2/client_quotas/{client_id}/notification_threshold': 'setQuotaThreshold',
  'DELETE /cloud/v2/client_quotas/{client_id}/notification_threshold': 'deleteQuotaThreshold',
  'GET /virga/v1/clients/{client_id}/quotas': 'getQuotasOfClient',
  'PATCH /virga/v1/clients/{client_id}/quotas': 'setQuotasOfClient',
  'GET /virga/v1/limits_requests': 'listLimitsRequestsOfAll',
  'GET /cloud/v1/dbaas/status/{project_id}/{region_id}': 'getPostgresStatus',
  'PUT /cloud/v1/dbaas/status/{project_id}/{region_id}': 'setPostgresStatus',
  'POST /cloud/v1/downloadimage/{project_id}/{region_id}': 'downloadImage',
  'GET /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/get_console': 'getInstanceConsole',
  'GET /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/available_flavors':
    'listFlavorsToResizeInstance',
  'POST /cloud/v1/instances/{project_id}/{region_id}/available_flavors': 'listFlavorsForInstances',
  'GET /cloud/v2/k8s/{project_id}/{region_id}/create_versions': 'listClusterVersions',
  'GET /cloud/v1/k8s/{project_id}/{region_id}/flavors': 'listClusterFlavors',
  'GET /cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}/config': 'getKubeconfig',
  'POST /cloud/v2/k8s/clusters/{project_id}/{region_id}/pools/check_limits': 'checkLimitsForClusterPools',
  'PUT /virga/v1/simulation/{region_id}/k8s_nodes/{instance_id}': 'simulateNode',
  'PUT /virga/v1/simulation/{region_id}/k8s_pools/{pool_id}': 'simulateClusterPool',
  'GET /cloud/v1/loadbalancers/{project_id}/{region_id}/status': 'listLoadBalancerStatuses',
  'PUT /virga/v1/loadbalancers/{load_balancer_id}/ddos_profile': 'setDdosProfile',
  'DELETE /virga/v1/loadbalancers/{load_balancer_id}/ddos_profile': 'deleteDdosProfile',
  'PATCH /virga/v1/loadbalancers/{load_balancer_id}/read_only_tags': 'setReadOnlyTags',
  'GET /cloud/public/v1/ipranges/egress': 'listEgressRanges',
  'POST /waap/v1/preview-custom-page': 'previewCustomPage',
  'PATCH /waap/v2/custom-page-sets/{set_id}': 'updateAndGetCustomPageSet',
  'GET /storage/v4/ssh_keys': 'listStorageSshKeys',
  'POST /storage/v4/ssh_keys': 'createStorageSshKey',
  'GET /storage/v4/ssh_keys/{ssh_key_id}': 'getStorageSshKey',
  'DELETE /storage/v4/ssh_keys/{ssh_key_id}': 'deleteStorageSshKey',
  'PUT /storage/notifications/v1/event': 'setStorageEvent',
  'POST /storage/notifications/v1/event': 'setAndGetStorageEvent',
  'DELETE /storage/notifications/v1/event': 'deleteStorageEvent',
  'POST /storage/notifications/v1/events': 'setStorageEvents',
  'GET /storage/notifications/v1/events/configurator': 'listStorageEventKinds',
  'POST /virga/v1/clients/{client_id}/storages/{storage_name}/usage_reports': 'reportStorageUsage',
  'GET /cloud/v1/user_actions/subscriptions_list': 'listUserActionSubscriptions',
  'PUT /cloud/v2/ports/{project_id}/{region_id}/{port_id}/allow_address_pairs': 'setAllowedAddressPairsV2',
  'PATCH /cloud/v1/keypairs/{project_id}/{region_id}/{keypair_id}/share': 'shareKeyPairV1',
  'GET /iam/clients/{clientId}/client-users/{userId}': 'getUserOfClient',
  'PUT /iam/clients/{clientId}/client-users/{userId}': 'setRoleOfUser',
  'DELETE /iam/clients/{clientId}/client-users/{userId}': 'removeUserFromClient',
  'GET /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/metadata/{key}':
    'getInstanceMetadataEntryV1',
  'DELETE /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/metadata/{key}':
    'deleteInstanceMetadataEntryV1',
  'POST /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/put_into_servergroup':
    'addInstanceToServerGroup',
  'POST /cloud/v1/instances/{project_id}/{region_id}/{instance_id}/remove_from_servergroup':
    'removeInstanceFromServerGroup',
  'POST /cloud/v1/routers/{project_id}/{region_id}/{router_id}/attach': 'attachSubnetToRouter',
  'POST /cloud/v1/routers/{project_id}/{region_id}/{router_id}/detach': 'detachSubnetFromRouter',
  'POST /cloud/v1/user_actions/subscribe': 'subscribeToUserActions',
  'POST /cloud/v1/user_actions/unsubscribe': 'unsubscribeFromUserActions',
  'POST /virga/v1/session/link': 'linkSession',
  'GET /cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/ca_certificate':
    'getPostgresCaCertificate',
  'GET /cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/metrics':
    'getPostgresClusterMetrics',
  'GET /cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/users/{username}/credentials':
    'getPostgresCredentials',
  'POST /cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/users/{username}/credentials':
    'renewPostgresCredentials',
  'POST /cloud/v1/dbaas/postgres/validate_pg_conf/{project_id}/{region_id}': 'validatePostgresConfiguration',
  'POST /cloud/v1/dbaas/postgres/check_limit/{project_id}/{region_id}': 'checkLimitsForPostgresCluster',
  'POST /virga/v1/webhook_deliveries/{delivery_id}/replay': 'replayWebhookDelivery',
  'GET /video/token': 'signVideo',
};

/** Words of paths that name no thing. */
const SILENT = new Set(['cloud', 'iam', 'virga', 'waap', 'storage', 'notifications', 'k8s', 'public']);
/** What a call belongs to, rather than what it is about. */
const SCOPES = new Set(['{project_id}', '{region_id}', '{client_id}', '{clientId}']);
const VERBS = { PATCH: 'update', PUT: 'replace', DELETE: 'delete', POST: 'create' } as const;

interface Named {
  readonly method: string;
  readonly path: string;
  readonly deprecated?: boolean;
}

/** @returns a name for it, unique among the operations that are served; the version is in the names of older forms */
export function operationName({ method, path, deprecated }: Named): string {
  const own = OWN[`${method} ${path}`];
  if (own !== undefined) return own;
  const version = /\/v(\d)\//.exec(path)?.[1] ?? '1';
  return `${nameOf(method, path)}${deprecated ? `V${version}` : ''}`;
}

function nameOf(method: string, path: string): string {
  const parts = path
    .split('/')
    .filter((part, index, all) => part !== '' && !isSilent(part) && !isScope(part, all[index - 1]));
  const words = parts.filter((part) => !part.startsWith('{'));
  const last = words.at(-1) ?? '';
  const owner = ownerOf(words.slice(0, -1));
  if (parts.at(-1) !== last) {
    return `${method === 'GET' ? 'get' : VERBS[method as keyof typeof VERBS]}${owner}${one(last)}`;
  }
  const [verb, preposition] = method === 'POST' ? (ACTIONS[last] ?? []) : [];
  if (verb !== undefined) return `${verb}${preposition}${owner || one(words.at(-2) ?? '')}`;
  if (method === 'GET')
    return last in NOUNS && !isSingle(last) ? `list${owner}${many(last)}` : `get${owner}${one(last)}`;
  if (method === 'POST' && last === 'metadata') return `add${owner}Metadata`;
  const what = method === 'POST' || isSingle(last) ? one(last) : many(last);
  return `${VERBS[method as keyof typeof VERBS]}${owner}${what}`;
}

const isScope = (part: string, before?: string) =>
  SCOPES.has(part) && `{${before}}` !== part.replace('_id', 's');
const isSilent = (part: string) => SILENT.has(part) || /^v\d+$/.test(part);
const isSingle = (word: string) => !(word in NOUNS) || word === 'healthmonitor' || word === 'certificates';
const pascal = (word: string) =>
  word.replace(/(?:^|[-_])(\w)/g, (_all, letter: string) => letter.toUpperCase());

function one(word: string): string {
  const noun = NOUNS[word] ?? pascal(word);
  return typeof noun === 'string' ? noun : noun[0];
}

function many(word: string): string {
  const noun = NOUNS[word] ?? pascal(word);
  return typeof noun === 'string' ? `${noun}s` : noun[1];
}

/** The thing to which something belongs: the nearest before it. */
function ownerOf(words: readonly string[]): string {
  const owners = words.filter((word) => word !== 'inference' && word !== 'users');
  const [first = '', ...rest] = owners;
  const nearest = rest.at(-1) ?? first;
  if (nearest === '') return words.includes('inference') ? 'Inference' : '';
  // Pools of clusters are others than those of load balancers.
  return nearest === 'pools' && first === 'clusters' ? 'ClusterPool' : one(nearest);
}
