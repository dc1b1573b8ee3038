import { NotFound } from '../../../kernel/errors.ts';
import type { Queryable, Tx } from '../../../platform/database/db.ts';
import { type Hold, heldTable } from '../../../platform/database/held-table.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { NETWORK_COLUMNS, type NetworkRow, type NetworkType, type Scope } from './model.ts';

/** Changes of networks; lists are in list-store.ts. */

/** Of a network `n`. */
export const SHOWN_NETWORK = sql`${listOf(NETWORK_COLUMNS, 'n')},
  array(select s.id from subnets s where s.network_id = n.id order by s.created_at, family(s.cidr), s.id) as subnet_ids`;

/** A project may use its own networks and the region's. One that is locked gets no new users. */
export const {
  readMany: readNetworks,
  read: readNetwork,
  lockFree: lockFreeNetwork,
  hold: holdNetwork,
} = heldTable<NetworkRow>('networks', 'Network', {
  columns: SHOWN_NETWORK,
  alias: 'n',
  readAfterLock: true,
  shared: true,
});

export interface NewNetwork extends Scope {
  readonly id: string;
  readonly clientId: number;
  readonly name: string;
  readonly type: NetworkType;
  readonly mtu: number;
  readonly tags: StoredTags;
  readonly taskId: string;
  readonly timestamp: string;
}

/** Ids that a network of the type may have. */
const LAST_SEGMENT: Readonly<Record<NetworkType, number>> = { vlan: 4094, vxlan: 16_777_215 };

/** @returns false when no segmentation id of this type is free in the region */
export async function insertNetwork(tx: Tx, network: NewNetwork): Promise<boolean> {
  // One after the other, so that no two get the same segmentation id: the one behind the last, as long as there is
  // one, else the first gap.
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('networks'), ${network.regionId})`);
  return tx.any(sql`insert into networks (id, project_id, region_id, client_id, name, type, segmentation_id, mtu, tags, task_id,
            creator_task_id, created_at, updated_at)
     select ${network.id}, ${network.projectId}, ${network.regionId}, ${network.clientId}, ${network.name}, ${network.type}, free.id, ${network.mtu}, ${JSON.stringify(network.tags)}, ${network.taskId}, ${network.taskId}, ${network.timestamp}, ${network.timestamp}
       from (select case when last.id < ${LAST_SEGMENT[network.type]} then last.id + 1 else (
                      select g.id + 1 from (
                        select id, lead(id) over (order by id) as next from (
                          select 0 as id union all
                          select segmentation_id from networks where region_id = ${network.regionId} and type = ${network.type}) o) g
                       where g.next > g.id + 1 order by g.id limit 1) end as id
               from (select coalesce(max(segmentation_id), 0) as id from networks
                      where region_id = ${network.regionId} and type = ${network.type}) last) free
      where free.id <= ${LAST_SEGMENT[network.type]}
     returning 1`);
}

/** All of a region but its own. */
export async function readNetworksIn(
  db: Queryable,
  regionId: number,
): Promise<Pick<NetworkRow, 'id' | 'project_id' | 'region_id' | 'task_id' | 'external'>[]> {
  return db.rows(
    sql`select id, project_id, region_id, task_id, external from networks where region_id = ${regionId} and not external`,
  );
}

/** The region's own network. */
export async function readExternalNetwork(db: Queryable, regionId: number): Promise<NetworkRow> {
  const [row] = await db.rows<NetworkRow>(
    sql`select ${SHOWN_NETWORK} from networks n where n.region_id = ${regionId} and n.external`,
  );
  if (!row) throw new NotFound(`Region ${regionId} has no network of its own`);
  return row;
}

/** Keeps the network from being deleted, and from changes that would need it whole, until the transaction ends. */
export async function keepNetwork(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`select 1 from networks where id = ${id} for key share`);
}

export interface NetworkChange {
  readonly name: string;
  readonly tags: StoredTags;
}

/** Ends a task's hold, with what it changes, if anything. */
export async function releaseNetwork(tx: Tx, hold: Hold, change: NetworkChange | null = null): Promise<void> {
  await tx.run(sql`update networks set task_id = null, name = coalesce(${change?.name ?? null}, name), tags = coalesce(${change ? JSON.stringify(change.tags) : null}::jsonb, tags),
            updated_at = case when ${change?.name ?? null}::text is null then updated_at else ${hold.timestamp} end
      where id = ${hold.id} and task_id = ${hold.taskId}`);
}

/** Bytes that a packet in it may have, once that is known. */
export async function setMtu(tx: Tx, id: string, mtu: number): Promise<void> {
  await tx.run(sql`update networks set mtu = ${mtu} where id = ${id}`);
}

/** Removes a network that the task holds, with its subnets.
 *  @returns how many subnets went with it; undefined when there was no such network */
export async function deleteNetwork(tx: Tx, id: string, taskId: string): Promise<number | undefined> {
  const [held] = await tx.rows(sql`select 1 from networks where id = ${id} and task_id = ${taskId}`);
  if (!held) return undefined;
  const subnets = await tx.rows(sql`delete from subnets where network_id = ${id} returning 1`);
  await tx.run(sql`delete from networks where id = ${id}`);
  return subnets.length;
}
