import type { Queryable, Tx } from '../../../platform/database/db.ts';
import { type Hold, heldTable } from '../../../platform/database/held-table.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../../platform/database/new-rows.ts';
import { listOf, without } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scoped } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { usageEnded } from '../../../platform/usage/usage-sql.ts';
import { freed, storingAddress } from '../addresses/index.ts';
import { WHOLE_REGION } from '../networks/index.ts';
import { COLUMNS, type FloatingIpRow, type FloatingIpView, type Target } from './model.ts';

/** Changes of floating IPs; lists are in list-store.ts. */

const ROW = listOf(COLUMNS);

/** Floating IPs of a project, which tasks hold. */
export const {
  readMany: readFloatingIps,
  lock: lockFloatingIp,
  lockFree: lockFreeFloatingIp,
  readAllHeld,
  hold: holdFloatingIp,
} = heldTable<FloatingIpRow>('floating_ips', 'Floating IP', { columns: ROW, alias: 'f' });

/** The router that joins the subnet of what floating IP `f` stands for with the region's own network. */
export const ROUTER_OF_FIP = sql`select r.id from region_addresses a join router_interfaces i on i.subnet_id = a.subnet_id
    join routers r on r.id = i.router_id and r.gateway_port_id is not null
   where a.owner_id = f.port_id and (f.fixed_ip_address is null or a.address = f.fixed_ip_address)
   order by r.created_at, r.id limit 1`;

/** Of floating IP `f`; goes with PORT_OF_FIP. */
export const SHOWN = sql`${listOf(without(COLUMNS, ['client_id', 'fixed_ip_address']), 'f')}, p.device_type, p.device_id,
  (${ROUTER_OF_FIP}) as router_id,
  coalesce(f.fixed_ip_address, (select a.address from region_addresses a where a.owner_id = f.port_id
                                 order by family(a.address), a.address limit 1)) as fixed_ip_address`;
export const PORT_OF_FIP = sql`left join ports p on p.id = f.port_id`;

export interface NewFloatingIp extends NewResource {
  readonly tags: StoredTags;
}

export async function insertFloatingIp(tx: Tx, row: NewFloatingIp): Promise<void> {
  const columns = { tags: JSON.stringify(row.tags), ...columnsOfNew(row) };
  await tx.run(insertionOf('floating_ips', columns));
}

export async function readFloatingIp(
  db: Queryable,
  { id, projectId, regionId }: Scoped,
): Promise<FloatingIpView | undefined> {
  return db.row<FloatingIpView>(sql`select ${SHOWN} from floating_ips f ${PORT_OF_FIP}
      where f.id = ${id} and f.project_id = ${projectId} and f.region_id = ${regionId}`);
}

export async function readFloatingIpsIn(db: Queryable, regionId: number): Promise<FloatingIpRow[]> {
  return db.rows<FloatingIpRow>(sql`select ${ROW} from floating_ips where region_id = ${regionId}`);
}

/** A floating IP that leads to the port already: to this address of it, or, without one, to any. */
export async function findCarried(
  tx: Tx,
  portId: string,
  address: string | null,
): Promise<{ readonly id: string; readonly task_id: string | null } | undefined> {
  return tx.row<{ id: string; task_id: string | null }>(sql`select f.id, f.task_id from floating_ips f
      where f.port_id = ${portId} and (${address}::inet is null or f.fixed_ip_address is null or f.fixed_ip_address = ${address}::inet)
      order by f.created_at limit 1`);
}

/** Those that lead to a port lead to the load balancer that has it now. */
export async function leadToLoadBalancer(
  tx: Tx,
  portId: string,
  loadBalancerId: string,
): Promise<FloatingIpRow[]> {
  return tx.rows<FloatingIpRow>(
    sql`update floating_ips set load_balancer_id = ${loadBalancerId} where port_id = ${portId} returning ${ROW}`,
  );
}

/** Those that lead to these ports, locked. */
export async function lockOfPorts(tx: Tx, portIds: readonly string[]): Promise<FloatingIpRow[]> {
  if (portIds.length === 0) return [];
  return tx.rows<FloatingIpRow>(
    sql`select ${ROW} from floating_ips where port_id = any(${portIds}::uuid[]) order by id for update`,
  );
}

/** Ends a task's hold.
 *  @param tags that it has from now on; null: those that it had */
export async function releaseFloatingIp(tx: Tx, hold: Hold, tags: StoredTags | null = null): Promise<void> {
  await tx.run(sql`update floating_ips set task_id = null, tags = coalesce(${tags === null ? null : JSON.stringify(tags)}::jsonb, tags), updated_at = ${hold.timestamp}
      where id = ${hold.id} and task_id = ${hold.taskId}`);
}

/** Lets it lead to a port, or nowhere.
 *  @returns whether it did not yet */
export async function moveFloatingIp(
  tx: Tx,
  { id, taskId }: { id: string; taskId: string },
  to: Target | null,
): Promise<boolean> {
  return tx.any(sql`update floating_ips set port_id = ${to?.portId ?? null}::uuid, fixed_ip_address = ${to?.address ?? null}::inet, load_balancer_id = ${to?.loadBalancerId ?? null}::uuid
      where id = ${id} and task_id = ${taskId}
        and (port_id is distinct from ${to?.portId ?? null}::uuid or fixed_ip_address is distinct from ${to?.address ?? null}::inet)
     returning 1`);
}

/** Stores the address of a floating IP that has none yet. */
export const storeFloatingAddress = storingAddress({
  table: 'floating_ips',
  key: 'id',
  address: 'floating_ip_address',
  owner: 'id',
  space: `'${WHOLE_REGION}'::uuid`,
  subnet: 'null::uuid',
});

/** Removes it while the task holds it; its address is free then.
 *  @returns whether there was anything to remove */
export async function deleteFloatingIp(tx: Tx, id: string, taskId: string): Promise<boolean> {
  return tx.any(sql`
    with gone as (delete from floating_ips where id = ${id} and task_id = ${taskId} returning *),
         ${freed(sql`select id from gone`)}, ${usageEnded('floating_ips', sql`gone`)}
    select from gone`);
}
