import type { Queryable } from '../../platform/database/db.ts';
import { raw, sql } from '../../platform/database/sql.ts';

/** What a client has that is deleted by the same calls by which its people would delete it, so that data planes, files
 *  and addresses go with it. What is left after that are rows (purge.ts). */
export interface Kind {
  readonly table: string;
  /** The call that deletes one. */
  readonly path: string;
  /** The column that the path names; default: id. */
  readonly key?: string;
  /** The column by which its tasks know it; default: id. */
  readonly id?: string;
  /** Which of the rows are there to be deleted; default: all. */
  readonly where?: string;
  /** Rows of the account, in none of its projects. */
  readonly ofClient?: true;
}

const UNDELETED = `status <> 'deleted'`;

/** In this order: a stage begins when nothing is left of the one before. */
export const STAGES: readonly (readonly Kind[])[] = [
  [
    {
      table: 'lifecycle_policies',
      path: '/cloud/v1/lifecycle_policy/{project_id}/{region_id}/{policy_id}',
    },
  ],
  [
    {
      table: 'k8s_clusters',
      path: '/cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}',
      key: 'name',
    },
    {
      table: 'postgresql_clusters',
      path: '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}',
      key: 'name',
    },
    {
      table: 'load_balancers',
      path: '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}',
    },
    {
      table: 'object_storages',
      path: '/storage/v4/object_storages/{storage_id}',
      where: UNDELETED,
      ofClient: true,
    },
    {
      table: 'sftp_storages',
      path: '/storage/v4/sftp_storages/{storage_id}',
      where: UNDELETED,
      ofClient: true,
    },
  ],
  [
    {
      table: 'instances',
      path: '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}',
      where: 'cluster_id is null',
    },
  ],
  [
    { table: 'floating_ips', path: '/cloud/v1/floatingips/{project_id}/{region_id}/{floating_ip_id}' },
    {
      table: 'reserved_fixed_ips',
      path: '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}',
      key: 'port_id',
      id: 'port_id',
    },
    { table: 'routers', path: '/cloud/v1/routers/{project_id}/{region_id}/{router_id}' },
    { table: 'volume_snapshots', path: '/cloud/v1/snapshots/{project_id}/{region_id}/{snapshot_id}' },
    { table: 'images', path: '/cloud/v1/images/{project_id}/{region_id}/{image_id}' },
  ],
  [
    { table: 'volumes', path: '/cloud/v1/volumes/{project_id}/{region_id}/{volume_id}' },
    { table: 'secrets', path: '/cloud/v1/secrets/{project_id}/{region_id}/{secret_id}' },
    { table: 'server_groups', path: '/cloud/v1/servergroups/{project_id}/{region_id}/{group_id}' },
    {
      table: 'security_groups',
      path: '/cloud/v1/securitygroups/{project_id}/{region_id}/{group_id}',
      where: 'not is_default',
    },
    { table: 'networks', path: '/cloud/v1/networks/{project_id}/{region_id}/{network_id}' },
  ],
];

/** What is still there of a kind. */
export interface Left {
  readonly kind: Kind;
  readonly count: number;
  /** Some of those that no task holds and that may be asked for now. */
  readonly free: readonly Item[];
}

export interface Item {
  readonly key: string;
  readonly project_id: number | null;
  readonly region_id: number | null;
}

/** Of a kind at a time. */
const MOST = 100;
/** What no task holds: of kinds that tasks hold. */
const UNHELD = new Set(['lifecycle_policies']);

/** @param pausing ids of what was tried a moment ago, and is not tried again yet */
export async function readLeft(
  db: Queryable,
  clientId: number,
  kinds: readonly Kind[],
  pausing: readonly string[] = [],
): Promise<Left[]> {
  const found: Left[] = [];
  for (const kind of kinds) {
    const { table, key = 'id', id = 'id', where = 'true', ofClient } = kind;
    const owned = ofClient
      ? sql`client_id = ${clientId}`
      : sql`project_id in (select id from projects where client_id = ${clientId})`;
    const all = sql`${raw(table)} where ${owned} and ${raw(where)}`;
    const count = await db.number(sql`select count(*) as count from ${all}`);
    if (count === 0) continue;
    const free = await db.rows<Item>(sql`
      select ${raw(key)}::text as key, ${raw(ofClient ? 'null::int as project_id' : 'project_id')}, region_id
        from ${all} ${raw(UNHELD.has(table) ? '' : 'and task_id is null')}
          and ${raw(id)}::text <> all(${pausing}::text[]) order by ${raw(key)} limit ${raw(MOST)}`);
    found.push({ kind, count, free });
  }
  return found;
}
