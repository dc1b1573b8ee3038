import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
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
export async function insertNode(tx: Tx, { timestamp, ...node }: NewNode): Promise<void> {
  const columns = {
    ...node,
    flavor: JSON.stringify(node.flavor),
    volumes: JSON.stringify(node.volumes),
    tags: JSON.stringify(node.tags),
    status: 'BUILD',
    vm_state: 'building',
    status_since: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  };
  await tx.run(insertionOf('instances', columns));
}

/** Says of nodes that they are up, or that they were and no longer are. */
export async function markNodes(
  tx: Tx,
  ids: readonly string[],
  status: 'ACTIVE' | 'ERROR',
  timestamp: string,
): Promise<void> {
  await tx.run(sql`update instances set status = ${status}, vm_state = ${status.toLowerCase()}, status_since = ${timestamp}, updated_at = ${timestamp}
      where id = any(${ids}::uuid[])`);
}

export async function deleteNodes(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    with gone as (delete from instances where id = any(${ids}::uuid[]) returning *),
         ${usageEnded('instances', sql`gone`)}
    select`);
}

/** A page of these nodes of a cluster, oldest first. */
export const readClusterNodes = (
  db: Queryable,
  clusterId: string,
  { ids, ...page }: { readonly ids: readonly string[] } & Paging,
): Promise<Page<ShownInstance>> =>
  listPage<ShownInstance>(db, {
    prepared: true,
    table: 'instances',
    alias: 'i',
    columns: SHOWN,
    ...page,
    where: [sql`cluster_id = ${clusterId}::uuid and id = any(${[...ids]}::uuid[])`],
    order: 'created_at, id',
    count: sql`select ${ids.length}::bigint as count`,
  });
