import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { Flavor } from '../flavors/index.ts';
import { SHOWN, type ShownInstance } from './list-store.ts';

/** Nodes of clusters, which come and go with them. They have addresses and disks of their own. */

export interface NewNode {
  readonly id: string;
  readonly client_id: number;
  readonly project_id: number;
  readonly region_id: number;
  readonly name: string;
  readonly flavor: Flavor;
  readonly private_ip: string;
  readonly public_ip: string | null;
  readonly network_name: string;
  readonly network_id: string;
  readonly subnet_id: string;
  readonly security_groups: readonly string[];
  readonly ssh_key_name: string | null;
  readonly volumes: readonly { readonly id: string; readonly delete_on_termination: boolean }[];
  readonly tags: StoredTags;
  readonly cluster_id: string;
  readonly creator_task_id: string | null;
  readonly timestamp: string;
}

/** A node that is being built. */
export async function insertNode(tx: Tx, row: NewNode): Promise<void> {
  await tx.named(
    'instance_insert_node',
    `insert into instances (id, client_id, project_id, region_id, name, flavor, status, vm_state, private_ip,
       public_ip, network_name, network_id, subnet_id, security_groups, ssh_key_name, volumes, tags, cluster_id,
       creator_task_id, status_since, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'BUILD', 'building', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
             $18, $18)`,
    [
      row.id,
      row.client_id,
      row.project_id,
      row.region_id,
      row.name,
      JSON.stringify(row.flavor),
      row.private_ip,
      row.public_ip,
      row.network_name,
      row.network_id,
      row.subnet_id,
      row.security_groups,
      row.ssh_key_name,
      JSON.stringify(row.volumes),
      JSON.stringify(row.tags),
      row.cluster_id,
      row.creator_task_id,
      row.timestamp,
    ],
  );
}

/** Says of nodes that they are up, or that they were and no longer are. */
export async function markNodes(
  tx: Tx,
  ids: readonly string[],
  status: 'ACTIVE' | 'ERROR',
  timestamp: string,
): Promise<void> {
  await tx.named(
    'instances_mark',
    `update instances set status = $2, vm_state = $3, status_since = $4, updated_at = $4
      where id = any($1::uuid[])`,
    [ids, status, status.toLowerCase(), timestamp],
  );
}

export async function deleteNodes(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.named('instances_delete', 'delete from instances where id = any($1::uuid[])', [ids]);
}

/** A page of these nodes of a cluster, oldest first. */
export const readClusterNodes = (
  db: Queryable,
  clusterId: string,
  { ids, ...page }: { readonly ids: readonly string[]; readonly limit: number; readonly offset: number },
): Promise<Page<ShownInstance>> =>
  listPage<ShownInstance>(db, {
    ...{ name: 'instances_of_cluster', table: 'instances', alias: 'i', columns: SHOWN, ...page },
    where: [sql`cluster_id = ${clusterId}::uuid and id = any(${[...ids]}::uuid[])`],
    order: 'created_at, id',
    count: sql`select ${ids.length}::bigint as count`,
  });
