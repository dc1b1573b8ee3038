import { userActionOf } from '../../platform/audit/actions.ts';
import type { TaskSubject } from './schema.ts';
import type { TaskRow } from './store.ts';

/** What tasks are about that user actions do not name, or name by what becomes of it: by the ends of the tasks' types. */
const OTHERS = {
  lbmembers: 'lbpool',
  object_storage: 'object_storage',
  security_group_rule: 'securitygroup',
  sftp_storage: 'sftp_storage',
  storage_access_key: 'object_storage',
  storage_bucket: 'object_storage',
} as const;

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

/** @param id of what a resource of a type is part of; null: of nothing, or of what it was is not known */
export function parentOf(type: string, id: string | null, name: string | null) {
  const parent = PARENTS[type];
  return id === null || name === null || parent === undefined ? null : { type: parent, id, name };
}
