import type { Db } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { join, raw, sql } from '../../platform/database/sql.ts';

/** SQL of what tasks have locked: rows with their `task_id`. */

interface Lockable {
  readonly table: string;
  /** What users call what is in it. */
  readonly type: string;
  /** SQL of its name, where `r` is the row. Default: its column `name`. */
  readonly name?: string;
  /** A part of a load balancer, which is locked with it. */
  readonly isPart?: true;
}

/** Every table whose rows tasks lock, in the order in which they are listed. */
export const LOCKABLES: readonly Lockable[] = [
  { table: 'clients', type: 'client' },
  { table: 'projects', type: 'project' },
  { table: 'load_balancers', type: 'loadbalancer' },
  { table: 'lb_listeners', type: 'lblistener', isPart: true },
  { table: 'lb_pools', type: 'lbpool', isPart: true },
  {
    table: 'lb_members',
    type: 'lbpool_member',
    name: `concat(case when family(r.address) = 6 then '[' || host(r.address) || ']' else host(r.address) end, ':', r.protocol_port)`,
    isPart: true,
  },
  { table: 'lb_health_monitors', type: 'lb_health_monitor', name: 'null', isPart: true },
  { table: 'lb_l7_policies', type: 'lb_l7policy', isPart: true },
  { table: 'lb_l7_rules', type: 'lb_l7rule', name: 'null', isPart: true },
  { table: 'k8s_clusters', type: 'k8s_cluster' },
  { table: 'instances', type: 'instance' },
  { table: 'volumes', type: 'volume' },
  { table: 'volume_snapshots', type: 'snapshot' },
  { table: 'images', type: 'image' },
  { table: 'server_groups', type: 'servergroup' },
  { table: 'networks', type: 'network' },
  { table: 'subnets', type: 'subnet' },
  { table: 'routers', type: 'router' },
  { table: 'ports', type: 'port', name: 'r.interface_name' },
  { table: 'floating_ips', type: 'floating_ip', name: 'r.floating_ip_address' },
  { table: 'reserved_fixed_ips', type: 'external_ip' },
  { table: 'security_groups', type: 'securitygroup' },
  { table: 'secrets', type: 'secret' },
  { table: 'postgresql_clusters', type: 'dbaas_postgres' },
  { table: 'object_storages', type: 'object_storage' },
  { table: 'sftp_storages', type: 'sftp_storage' },
];

function rowsOf({ table, type, name = 'r.name', isPart }: Lockable, position: number, taskId: string) {
  const [parentId, parentName] = isPart ? ['b.id', 'b.name'] : ['null', 'null'];
  const columns = sql`${raw(String(position))} as position, '${raw(type)}' as type, ${raw(ID[table] ?? 'r.id')}::text as id, ${raw(name)}::text as name,
    ${raw(parentId)}::text as parent_id, ${raw(parentName)}::text as parent_name`;
  // Parts are found by their load balancer: they have no index of their own by task.
  const whole = isPart
    ? sql`join load_balancers b on b.id = r.load_balancer_id and b.task_id = ${taskId}::uuid`
    : sql``;
  return sql`select ${columns} from ${raw(table)} r ${whole} where r.task_id = ${taskId}::uuid`;
}

/** What identifies a row, where that is not its `id`. */
const ID: Readonly<Record<string, string>> = { reserved_fixed_ips: 'r.port_id' };

export interface LockRow {
  readonly type: string;
  readonly id: string;
  readonly name: string | null;
  readonly parent_id: string | null;
  readonly parent_name: string | null;
}

/** What a task has locked now. */
export const listLocks = (db: Db, taskId: string, page: Paging): Promise<Page<LockRow>> =>
  listPage<LockRow>(db, {
    prepared: true,
    table: 'locked',
    alias: 'l',
    columns: sql`l.*`,
    ...page,
    rows: join(
      LOCKABLES.map((lockable, position) => rowsOf(lockable, position, taskId)),
      ' union all ',
    ),
    order: 'position, name, id',
  });
