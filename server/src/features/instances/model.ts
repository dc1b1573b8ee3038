import { Conflict } from '../../kernel/errors.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { CHANGE_COLUMNS, type RowOf } from '../../platform/database/rows.ts';
import type { Scope } from '../../platform/http/context.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { Flavor } from '../flavors/index.ts';
import type { Amounts } from '../quotas/index.ts';

/** What an instance is meant to do. */
export type Power = 'running' | 'stopped' | 'suspended';

/** Those that occur here; the wire knows more. */
export type Status =
  | 'BUILD'
  | 'ACTIVE'
  | 'SHUTOFF'
  | 'SUSPENDED'
  | 'REBOOT'
  | 'HARD_REBOOT'
  | 'RESIZE'
  | 'ERROR';

/** The addresses, the network and the security groups are those of a node of the cluster `cluster_id`; other instances
 *  have ports. `boots` goes up with every restart that somebody asked for. */
export const COLUMNS = [
  'id',
  'client_id',
  'project_id',
  'region_id',
  'name',
  'flavor',
  'status',
  'vm_state',
  'task_state',
  'power',
  'boots',
  'private_ip',
  'public_ip',
  'network_name',
  'network_id',
  'subnet_id',
  'security_groups',
  'ssh_key_name',
  'tags',
  'cluster_id',
  'status_since',
  ...CHANGE_COLUMNS,
] as const;

interface Narrowed {
  readonly flavor: Flavor;
  readonly status: Status;
  readonly power: Power;
  readonly security_groups: readonly string[];
  readonly tags: StoredTags;
}

export type InstanceRow = RowOf<'instances', typeof COLUMNS, Narrowed>;

export type { Scope };

const RESTING = {
  running: { status: 'ACTIVE', vmState: 'active' },
  stopped: { status: 'SHUTOFF', vmState: 'stopped' },
  suspended: { status: 'SUSPENDED', vmState: 'suspended' },
} as const satisfies Record<Power, { status: Status; vmState: string }>;

/** What an instance is when no task works on it and it does what it is meant to do. */
export const restingState = (power: Power) => RESTING[power];

interface Change {
  /** Type of the task. */
  readonly task: string;
  readonly from: readonly Status[];
  /** What it says of itself meanwhile; absent: what it said before. */
  readonly status?: Status;
  readonly taskState: string;
}

const SETTLED: readonly Status[] = ['ACTIVE', 'SHUTOFF', 'ERROR'];

/** What can be done to an instance, from which states, and what it is meanwhile. In ERROR anything may be tried that
 *  would bring it back: a provider gets what the instance shall be, not what to do. */
export const CHANGES = {
  start: { task: 'start_vm', from: ['SHUTOFF', 'ERROR'], taskState: 'powering-on' },
  stop: { task: 'stop_vm', from: ['ACTIVE', 'ERROR'], taskState: 'powering-off' },
  suspend: { task: 'suspend_vm', from: ['ACTIVE', 'ERROR'], taskState: 'suspending' },
  resume: { task: 'resume_vm', from: ['SUSPENDED', 'ERROR'], taskState: 'resuming' },
  reboot: {
    task: 'soft_reboot_vm',
    from: ['ACTIVE', 'ERROR'],
    status: 'REBOOT',
    taskState: 'rebooting',
  },
  reboot_hard: {
    task: 'hard_reboot_vm',
    from: ['ACTIVE', 'SHUTOFF', 'SUSPENDED', 'ERROR'],
    status: 'HARD_REBOOT',
    taskState: 'rebooting_hard',
  },
  changeflavor: { task: 'resize_vm', from: SETTLED, status: 'RESIZE', taskState: 'resize_migrating' },
  attach_interface: { task: 'attach_vm_interface', from: SETTLED, taskState: 'attaching-interface' },
  detach_interface: { task: 'detach_vm_interface', from: SETTLED, taskState: 'detaching-interface' },
  put_into_servergroup: { task: 'put_into_servergroup', from: SETTLED, taskState: 'migrating' },
  remove_from_servergroup: { task: 'remove_from_servergroup', from: SETTLED, taskState: 'migrating' },
  delete: {
    task: 'delete_vm',
    from: ['ACTIVE', 'SHUTOFF', 'SUSPENDED', 'ERROR'],
    taskState: 'deleting',
  },
} as const satisfies Record<string, Change>;
export type ChangeName = keyof typeof CHANGES;

type Checked = Pick<InstanceRow, 'id' | 'name' | 'status' | 'task_id' | 'cluster_id'>;

/** @throws Locked naming the task that holds it, Conflict for a node of a cluster, or when it is in no state for
 *  this */
export function requireChangeable(row: Checked, change: ChangeName): void {
  requireOwn(row);
  requireFree('Instance', row);
  const from: readonly Status[] = CHANGES[change].from;
  if (from.includes(row.status)) return;
  throw new Conflict(`Instance ${row.id} is ${row.status}; ${change} needs it to be ${from.join(' or ')}`);
}

/** @throws Conflict for a node of a cluster, whose cluster alone changes it */
export function requireOwn({ id, name, cluster_id }: Checked): void {
  if (cluster_id === null) return;
  throw new Conflict(
    `Instance ${id} is node ${name} of Kubernetes cluster ${cluster_id}; change or delete it through its cluster ` +
      '(/cloud/v2/k8s/clusters)',
  );
}

/** What an instance of this size counts into quotas, without its volumes and addresses. */
export function instanceAmounts(flavor: Pick<Flavor, 'vcpus' | 'ram' | 'gpu'>): Amounts {
  return {
    vm_count: 1,
    cpu_count: flavor.vcpus,
    ram: flavor.ram,
    ...(flavor.gpu ? { [flavor.gpu.quota]: flavor.gpu.count } : {}),
  };
}
