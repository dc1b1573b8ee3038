import type { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { NodeIdentity } from './owned-region.ts';

/** SQL of the leases. Times are the database's, since the nodes' clocks may differ. */

/** Notes which regions have an owner; what waits in one that no longer has any is for all nodes then. */
export async function keepRows(
  db: Db,
  owned: readonly number[],
  everybodys: readonly number[],
): Promise<void> {
  await db.run(
    sql`insert into region_owners (region_id) select unnest(${owned}::int[]) on conflict do nothing`,
  );
  await db.run(sql`delete from region_owners where region_id = any(${everybodys}::int[])`);
}

export interface OwnerRow {
  readonly region_id: number;
  readonly node: string | null;
  readonly data_dir: string | null;
  readonly holder: string | null;
  readonly pid: number | null;
  readonly epoch: number;
  /** True when its holder has been silent for too long, or there is none. */
  readonly free: boolean;
  /** Since its holder was heard of. */
  readonly silent_ms: number;
  /** The node of a process that may own it and has asked for it lately; null: none has. */
  readonly awaited: string | null;
  /** The node that the operator wants it on. */
  readonly assigned: string | null;
  /** The nodes of which any may own it. */
  readonly peers: readonly string[];
  /** Whether its machine has files that do not move with the region. */
  readonly has_data: boolean;
  /** Of the region, on interfaces of its machine: some of them. */
  readonly addresses: readonly string[];
}

export async function readRows(
  db: Db,
  regionIds: readonly number[],
  silentMs: number,
): Promise<readonly OwnerRow[]> {
  return db.rows<OwnerRow>(sql`select o.region_id, o.node, o.data_dir, o.holder, o.pid, o.epoch, o.has_data, o.addresses, r.settings ->> 'node' as assigned,
            coalesce(r.settings -> 'nodes', '[]'::jsonb) as peers,
            o.holder is null or o.renewed_at < now() - ${silentMs}::float8 * interval '1 millisecond' as free,
            coalesce(extract(epoch from now() - o.renewed_at) * 1000, 0)::float8 as silent_ms,
            case when o.awaited_by is not null and o.awaited_at > now() - ${silentMs}::float8 * interval '1 millisecond'
                 then coalesce(o.awaited_node, o.node) end as awaited
       from region_owners o join regions r on r.id = o.region_id
      where o.region_id = any(${regionIds}::int[])`);
}

/** Acquires the lease, if the row is still as it was read.
 *  @param silentMs for how long its holder must not have been heard of; 0: it is known to be dead
 *  @returns the new epoch, or undefined when somebody else was faster */
export async function acquire(
  db: Db,
  row: OwnerRow,
  me: NodeIdentity,
  holder: string,
  silentMs: number,
): Promise<number | undefined> {
  const [acquired] = await db.rows<{ epoch: number }>(sql`update region_owners
        set node = ${me.name}, data_dir = ${me.dataDir}, holder = ${holder}, pid = ${process.pid}, epoch = epoch + 1, renewed_at = now(),
            awaited_by = null, awaited_at = null, awaited_node = null, fault = null,
            has_data = has_data and node = ${me.name}, addresses = case when node = ${me.name} then addresses else '{}' end
      where region_id = ${row.region_id} and epoch = ${row.epoch} and holder is not distinct from ${row.holder}::uuid
        and (holder is null or renewed_at <= now() - ${silentMs}::float8 * interval '1 millisecond')
      returning epoch`);
  return acquired?.epoch;
}

export interface Held {
  readonly regionId: number;
  readonly epoch: number;
  readonly fault: string | null;
  readonly hasData: boolean;
  readonly addresses: readonly string[];
}

/** Says that the holder is alive.
 *  @returns the regions that it still holds */
export async function renew(
  db: Db,
  holder: string,
  node: string,
  held: readonly Held[],
): Promise<ReadonlySet<number>> {
  const rows = await db.rows<{
    region_id: number;
  }>(sql`update region_owners o set renewed_at = now(), fault = h.fault, has_data = h."hasData", addresses = h.addresses
       from jsonb_to_recordset(${JSON.stringify(held)}::jsonb)
         as h ("regionId" int, epoch bigint, fault text, "hasData" boolean, addresses text[])
       join regions r on r.id = h."regionId"
      where o.region_id = h."regionId" and o.epoch = h.epoch and o.holder = ${holder}
        and coalesce(r.settings ->> 'node', ${node}) = ${node}
      returning o.region_id`);
  return new Set(rows.map(({ region_id }) => region_id));
}

/** Says that this process waits for the lease, unless one of the owner's own machine does. */
export async function sayAwaited(
  db: Db,
  regionId: number,
  { by, node, silentMs }: { readonly by: string; readonly node: string; readonly silentMs: number },
): Promise<void> {
  await db.run(
    sql`update region_owners set awaited_by = ${by}, awaited_at = now(), awaited_node = ${node}
      where region_id = ${regionId}
        and (node = ${node} or awaited_by is null or awaited_node is distinct from node
             or awaited_at < now() - ${silentMs}::float8 * interval '1 millisecond')`,
  );
}

/** This process waits for nothing any more. */
export async function withdraw(db: Db, by: string): Promise<void> {
  await db.run(sql`update region_owners set awaited_by = null where awaited_by = ${by}`);
}

export async function release(db: Db, regionId: number, holder: string): Promise<void> {
  await db.run(
    sql`update region_owners set holder = null, pid = null where region_id = ${regionId} and holder = ${holder}`,
  );
}

/** Why the owner of a region cannot serve it, as it said last, or null. */
export async function readFault(db: Db, regionId: number): Promise<string | null> {
  const [row] = await db.rows<{ fault: string | null }>(
    sql`select fault from region_owners where region_id = ${regionId}`,
  );
  return row?.fault ?? null;
}

export interface OwnedBy {
  readonly region_id: number;
  readonly region_name: string;
  /** Where its programs run; null until somebody has served it. */
  readonly node: string | null;
  readonly pid: number | null;
  /** Somebody holds it, and was heard of lately. */
  readonly served: boolean;
  readonly renewed_at: Date | null;
  readonly fault: string | null;
}

/** Who works on each region that needs an owner, and since when nobody was heard of. */
export async function listOwners(db: Db): Promise<readonly OwnedBy[]> {
  return db.rows<OwnedBy>(sql`select o.region_id, r.display_name as region_name, o.node, o.pid, o.renewed_at, o.fault,
            o.holder is not null and o.renewed_at > now() - interval '5 seconds' as served
       from region_owners o join regions r on r.id = o.region_id order by o.region_id`);
}
