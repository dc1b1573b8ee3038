import type { List, Parameter } from './document.ts';

/** What the parameters of lists are asked with: what the document names, else what some of the rows have. */

// biome-ignore lint/suspicious/noExplicitAny: an answer of any list
type Answer = any;

/** Rows of a list as it answers them without filters. */
export type Sample = readonly Answer[];

/** The moments that the rows of the bench are spread over end now, and begin so long ago. */
export const SPREAD_S = 1_000_000;
const ago = (part: number) => new Date(Date.now() - SPREAD_S * part * 1000).toISOString().slice(0, 19);

const EARLY = () => [`${ago(0.1)}Z`, `${ago(0.9)}Z`];
const NOBODY = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

/** Where neither the document nor a row names it, or the document names too much; by name, also of one list alone. */
const KNOWN: Readonly<Record<string, (row: Answer) => readonly unknown[]>> = {
  tag_key: () => ['team', 'rare'],
  metadata_k: () => ['team'],
  tag_key_value: () => ['{"team":"a"}', '{"rare":"a"}', '{"team":"a","rare":"a"}'],
  metadata_kv: () => ['{"team":"a"}'],
  tag_value: () => ['a'],
  project_id: () => [1],
  region_id: () => [2],
  user_id: () => [1],
  client_id: () => [1],
  issued_by: () => [1],
  not_issued_by: () => [2],
  request_ids: () => [777],
  from_timestamp: EARLY,
  to_timestamp: EARLY,
  created_from: EARLY,
  created_to: EARLY,
  'changes-since': EARLY,
  'changes-before': EARLY,
  ids: (row) => [row?.id ?? row?.port_id ?? NOBODY],
  port_ids: (row) => [row?.port_id ?? NOBODY],
  network_ids: (row) => [row?.network_id],
  subnet_ids: (row) => [row?.ip_assignments?.[0]?.subnet_id ?? row?.ip_addresses?.[0]?.subnet_id ?? NOBODY],
  ip_addresses: () => ['10.1.0.7'],
  'listPorts.resource_id': (row) => [row?.resource_id ?? NOBODY],
  'listUserActions.resource_id': () => ['resource 777'],
  parent_port_id: () => [NOBODY],
  load_balancer_id: (row) => [row?.load_balancer_id ?? row?.loadbalancers?.[0]?.id ?? NOBODY],
  loadbalancer_id: (row) => [row?.load_balancer_id ?? row?.loadbalancers?.[0]?.id ?? NOBODY],
  listener_id: (row) => [row?.listeners?.[0]?.id ?? NOBODY],
  network_id: (row) => [row?.network_id ?? row?.id ?? NOBODY],
  instance_id: () => [NOBODY],
  volume_id: (row) => [row?.volume_id ?? NOBODY],
  cluster_id: () => [NOBODY],
  device_id: (row) => [row?.reservation?.resource_id ?? NOBODY],
  lifecycle_policy_id: () => [1],
  schedule_id: () => [NOBODY],
  id_part: (row) => [row?.id.slice(0, 8)],
  uuid: (row) => [row?.id.slice(0, 8)],
  name_part: () => ['thing 777'],
  ip: () => ['10.1.0.7'],
  ip_address: () => ['10.65.0.7'],
  flavor_id: () => ['g1-standard-1-2'],
  flavor_prefix: () => ['g1', 'g2'],
  exclude_flavor_prefix: () => ['g2'],
  exclude_secgroup: () => ['default'],
  profile_name: () => ['none'],
  task_type: () => ['create_loadbalancer', 'delete_loadbalancer'],
  is_acknowledged: () => [true, false],
  source_user_ips: () => ['192.0.2.1', '192.0.2.200'],
  action_type: () => ['create', 'delete'],
  api_group: () => ['network', 'loadbalancer'],
  user_agents: () => ['terraform', 'curl'],
  search_field: () => ['thing 777'],
  'listInstances.name': () => ['thing 777'],
  display_name: (row) => [row?.display_name],
  'listWebhookDeliveries.type': () => ['user_action', 'quota'],
  'listPostgresClusters.name': () => ['thing 777'],
  'listCustomPageSets.name': () => ['thing'],
  'listCustomPageSets.ids': () => [777],
  'listImages.private': () => ['yes'],
  'listObjectStorages.name': () => ['thing'],
  'listSftpStorages.name': () => ['thing'],
  'listStorageSshKeys.name': () => ['thing'],
  'listObjectStorages.id': () => ['777'],
  'listSftpStorages.id': () => ['777'],
  'listObjectStorageStorageBuckets.name': () => ['thing'],
  location_name: () => ['simulated'],
  role: () => ['Administrators'],
  'getLocations.order_by': () => ['name.asc', 'created_at.desc'],
  'listObjectStorageStorageAccessKeys.order_by': () => ['created_at.asc', 'created_at.desc'],
  'listObjectStorages.order_by': () => ['name.asc', 'name.desc', 'created_at.asc', 'created_at.desc'],
  'listSftpStorages.order_by': () => ['name.asc', 'name.desc', 'created_at.asc', 'created_at.desc'],
  'listStorageSshKeys.order_by': () => ['name.asc', 'name.desc', 'created_at.asc', 'created_at.desc'],
};

/** Of the values that the document names: one that most rows have, and a rare one. Pairs are asked with these. */
const FREQUENT_AND_RARE: Readonly<Record<string, readonly [string, string]>> = {
  operating_status: ['ONLINE', 'ERROR'],
  provisioning_status: ['ACTIVE', 'ERROR'],
  'listInstances.status': ['ACTIVE', 'ERROR'],
  'listFloatingIps.status': ['DOWN', 'ACTIVE'],
  'listTasks.state': ['FINISHED', 'ERROR'],
  'listWebhookDeliveries.state': ['DELIVERED', 'FAILED'],
  'listLimitsRequests.status': ['done', 'rejected'],
  'listLimitsRequestsOfAll.status': ['done', 'rejected'],
  network_type: ['vxlan', 'vlan'],
  architecture: ['x86_64', 'aarch64'],
};

/** @throws when there is none, so that a new parameter is not left out */
export function valuesOf({ id }: List, { name, values, type }: Parameter, sample: Sample): readonly string[] {
  const known = KNOWN[`${id}.${name}`] ?? KNOWN[name];
  if (known) return known(sample[0]).map(String);
  const first = (FREQUENT_AND_RARE[`${id}.${name}`] ?? FREQUENT_AND_RARE[name] ?? []).filter((value) =>
    values.includes(value),
  );
  if (values.length > 0) return [...first, ...values.filter((value) => !first.includes(value))];
  if (type === 'boolean') return ['true', 'false'];
  const own = sample[0]?.[name];
  if (['string', 'number'].includes(typeof own)) return [String(own)];
  throw new Error(`lists: say in values.ts what ${id} is to be asked with for ${name}`);
}
