/** What the audit log records, in the words in which users are shown it. */

export const ACTION_TYPES = [
  'activate',
  'attach',
  'change_logging_resources',
  'create',
  'create_access_rule',
  'deactivate',
  'delete',
  'delete_access_rule',
  'delete_metadata',
  'detach',
  'disable_logging',
  'disable_portsecurity',
  'download',
  'enable_logging',
  'enable_portsecurity',
  'failover',
  'put_into_servergroup',
  'reboot',
  'reboot_hard',
  'rebuild',
  'regenerate_credentials',
  'remove_from_servergroup',
  'replace',
  'replace_metadata',
  'resize',
  'resume',
  'retype',
  'revert',
  'scale_down',
  'scale_up',
  'start',
  'stop',
  'suspend',
  'update',
  'update_metadata',
  'upgrade',
] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** Groups of the API as users are shown them, and the type of what is changed in each. Clients know these and no
 *  others: actions on object storage are in the audit log alone. */
const GROUPS = {
  floating_ip: 'floating_ip',
  image: 'image',
  inference_at_the_edge: 'inference_secret',
  instance: 'instance',
  k8s_cluster: 'k8s_cluster',
  k8s_pool: 'k8s_pool',
  lb_health_monitor: 'lb_health_monitor',
  lb_l7policy: 'lb_l7policy',
  lb_l7rule: 'lb_l7rule',
  lblistener: 'lblistener',
  lbpool: 'lbpool',
  lbpool_member: 'lbpool_member',
  lifecycle_policy: 'lifecycle_policy',
  lifecycle_policy_volume_member: 'lifecycle_policy_volume_member',
  loadbalancer: 'loadbalancer',
  network: 'network',
  port: 'port',
  project: 'project',
  quota_limit_request: 'quota_limit_request',
  reserved_fixed_ip: 'external_ip',
  role: 'role',
  router: 'router',
  secret: 'secret',
  securitygroup: 'securitygroup',
  securitygrouprule: 'securitygrouprule',
  servergroup: 'servergroup',
  snapshot: 'snapshot',
  ssh_key: 'ssh_key',
  subnet: 'subnet',
  user: 'user',
  volume: 'volume',
  dbaas_postgres: 'dbaas_postgres',
} as const;
export type ApiGroup = keyof typeof GROUPS;

/** What is changed in a group beside what the group names. */
const FURTHER_TYPES = { inference_registry_credentials: 'inference_at_the_edge' } as const;
export type ResourceType = (typeof GROUPS)[ApiGroup] | keyof typeof FURTHER_TYPES;

/** The nouns in the names of recorded actions. */
const NOUNS: Readonly<Record<string, ApiGroup>> = {
  ...FURTHER_TYPES,
  fip: 'floating_ip',
  image: 'image',
  inference_secret: 'inference_at_the_edge',
  vm: 'instance',
  k8s_cluster: 'k8s_cluster',
  k8s_cluster_v2: 'k8s_cluster',
  k8s_node: 'k8s_pool',
  k8s_cluster_pool: 'k8s_pool',
  k8s_cluster_pool_v2: 'k8s_pool',
  lbpool_health_monitor: 'lb_health_monitor',
  l7policy: 'lb_l7policy',
  l7rule: 'lb_l7rule',
  lblistener: 'lblistener',
  lbpool: 'lbpool',
  lbmember: 'lbpool_member',
  lbmembers: 'lbpool_member',
  lifecycle_policy: 'lifecycle_policy',
  lifecycle_policy_volumes: 'lifecycle_policy_volume_member',
  loadbalancer: 'loadbalancer',
  network: 'network',
  port: 'port',
  project: 'project',
  limits_request: 'quota_limit_request',
  reserved_fixed_ip: 'reserved_fixed_ip',
  role: 'role',
  router: 'router',
  secret: 'secret',
  security_group: 'securitygroup',
  security_group_rule: 'securitygrouprule',
  servergroup: 'servergroup',
  snapshot: 'snapshot',
  ssh_key: 'ssh_key',
  subnet: 'subnet',
  user: 'user',
  volume: 'volume',
  dbaas_postgres_cluster: 'dbaas_postgres',
};

const VERBS: Readonly<Record<string, ActionType>> = {
  add: 'attach',
  attach: 'attach',
  change: 'update',
  connect: 'update',
  convert: 'replace',
  create: 'create',
  delete: 'delete',
  detach: 'detach',
  download: 'download',
  extend: 'resize',
  failover: 'failover',
  hard_reboot: 'reboot_hard',
  invite: 'create',
  patch: 'update',
  put: 'replace',
  remove: 'delete',
  resize: 'resize',
  resume: 'resume',
  retype: 'retype',
  revert: 'revert',
  soft_reboot: 'reboot',
  start: 'start',
  stop: 'stop',
  suspend: 'suspend',
  update: 'update',
  upgrade: 'upgrade',
};

/** Actions that are not called after a verb and a noun. */
const OTHERS: Readonly<Record<string, readonly [ActionType, ApiGroup]>> = {
  add_security_group: ['update', 'instance'],
  remove_security_group: ['update', 'instance'],
  attach_vm_interface: ['attach', 'instance'],
  detach_vm_interface: ['detach', 'instance'],
  attach_router_subnet: ['attach', 'router'],
  detach_router_subnet: ['detach', 'router'],
  put_into_servergroup: ['put_into_servergroup', 'instance'],
  remove_from_servergroup: ['remove_from_servergroup', 'instance'],
  remove_lifecycle_policy_volumes: ['detach', 'lifecycle_policy_volume_member'],
  activate_managed_postgresql: ['activate', 'dbaas_postgres'],
  deactivate_managed_postgresql: ['deactivate', 'dbaas_postgres'],
  regenerate_dbaas_postgres_credentials: ['regenerate_credentials', 'dbaas_postgres'],
};

export interface UserAction {
  readonly type: ActionType;
  readonly group: ApiGroup;
  readonly resource: string;
}

/** What users are shown of a recorded action; undefined for what concerns no resource of theirs. */
export function userActionOf(action: string): UserAction | undefined {
  const other = OTHERS[action];
  if (other) return { type: other[0], group: other[1], resource: GROUPS[other[1]] };
  for (const [verb, type] of Object.entries(VERBS)) {
    const noun = action.startsWith(`${verb}_`) ? action.slice(verb.length + 1) : '';
    const group = NOUNS[noun];
    if (group) return { type, group, resource: isFurther(noun) ? noun : GROUPS[group] };
  }
  return undefined;
}

const isFurther = (noun: string): noun is keyof typeof FURTHER_TYPES => noun in FURTHER_TYPES;

export const API_GROUPS = Object.keys(GROUPS) as readonly ApiGroup[];
export const RESOURCE_TYPES: readonly ResourceType[] = [
  ...new Set(Object.values(GROUPS)),
  ...(Object.keys(FURTHER_TYPES) as (keyof typeof FURTHER_TYPES)[]),
];
