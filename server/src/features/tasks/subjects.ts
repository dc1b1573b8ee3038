import { userActionOf } from '../../platform/audit/actions.ts';
import type { TaskSubject } from './schema.ts';
import type { TaskRow } from './store.ts';

/** What tasks are about that user actions do not name, or name by what becomes of it: by the ends of the tasks' types. */
const OTHERS = {
  client: 'client',
  lbmembers: 'lbpool',
  object_storage: 'object_storage',
  security_group_rule: 'securitygroup',
  sftp_storage: 'sftp_storage',
  storage_access_key: 'object_storage',
  storage_bucket: 'object_storage',
} as const;

/** Under which names clients read the id of what a task is about, by the type of that resource. */
const ID_NAMES: Readonly<Record<string, readonly string[]>> = {
  client: ['client_id'],
  dbaas_postgres: ['cluster_id'],
  external_ip: ['port_id', 'reserved_fixed_ip_id'],
  floating_ip: ['floating_ip_id', 'floatingip_id'],
  image: ['image_id'],
  instance: ['instance_id', 'instance_uuid'],
  k8s_cluster: ['cluster_id'],
  k8s_pool: ['pool_id'],
  lb_health_monitor: ['healthmonitor_id'],
  lb_l7policy: ['l7policy_id'],
  lb_l7rule: ['l7rule_id'],
  lblistener: ['listener_id'],
  lbpool: ['pool_id'],
  lbpool_member: ['member_id'],
  loadbalancer: ['loadbalancer_id', 'load_balancer_id'],
  network: ['network_id'],
  object_storage: ['storage_id'],
  port: ['port_id'],
  project: ['project_id'],
  router: ['router_id'],
  secret: ['secret_id'],
  securitygroup: ['security_group_id', 'securitygroup_id'],
  servergroup: ['servergroup_id'],
  sftp_storage: ['storage_id'],
  snapshot: ['snapshot_id'],
  subnet: ['subnet_id'],
  volume: ['volume_id'],
};

/** Resources whose ids are numbers. */
const NUMBERED = new Set(['client', 'object_storage', 'project', 'sftp_storage']);

/** Of what type the resource is that something is part of. */
const PARENTS: Readonly<Record<string, string>> = {
  k8s_pool: 'k8s_cluster',
  lb_health_monitor: 'loadbalancer',
  lb_l7policy: 'loadbalancer',
  lb_l7rule: 'loadbalancer',
  lblistener: 'loadbalancer',
  lbpool: 'loadbalancer',
  lbpool_member: 'loadbalancer',
};

function findType(taskType: string): string | null {
  const other = Object.entries(OTHERS).find(([end]) => taskType.endsWith(`_${end}`));
  return other?.[1] ?? userActionOf(taskType)?.resource ?? null;
}

const types = new Map<string, string | null>();

/** Of what type the resource is that tasks of a type are about: `create_lblistener` is about an `lblistener`. */
function typeOf(taskType: string): string | null {
  const known = types.get(taskType);
  if (known !== undefined) return known;
  const type = findType(taskType);
  types.set(taskType, type);
  return type;
}

/** What a task is about; null: no resource. */
export function subjectOf(row: TaskRow): TaskSubject | null {
  const type = typeOf(row.type);
  if (row.subject_id === null || type === null) return null;
  return {
    type,
    id: row.subject_id,
    // What has no name is called as its id, or has none.
    name: row.subject_name === row.subject_id ? null : row.subject_name || null,
    parent: parentOf(type, row.parent_id, row.parent_name),
  };
}

const named = (type: string, id: string): Record<string, unknown> =>
  Object.fromEntries((ID_NAMES[type] ?? []).map((name) => [name, NUMBERED.has(type) ? Number(id) : id]));

/** A task's `data`: the ids of what it is about, of what that is part of, and what the task was started with; null:
 *  it is about no resource, and was started with nothing. */
export function dataOf(row: TaskRow): Readonly<Record<string, unknown>> | null {
  const more = row.data as Readonly<Record<string, unknown>> | null;
  const type = typeOf(row.type);
  if (row.subject_id === null || type === null) return more;
  const parent = PARENTS[type];
  return {
    resource_id: row.subject_id,
    ...(row.parent_id === null || parent === undefined ? {} : named(parent, row.parent_id)),
    ...named(type, row.subject_id),
    ...more,
  };
}

/** @param id of what a resource of a type is part of; null: of nothing, or of what it was is not known */
export function parentOf(type: string, id: string | null, name: string | null) {
  const parent = PARENTS[type];
  return id === null || name === null || parent === undefined ? null : { type: parent, id, name };
}
