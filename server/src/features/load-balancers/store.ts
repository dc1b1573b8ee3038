import { type Db, type Tx, together } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listOf } from '../../platform/database/rows.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import { leftBehind } from '../../platform/owners/leftover-store.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
import { type StoreAddress, storingAddress } from '../networking/addresses/index.ts';
import { portsOfGone } from '../networking/ports/index.ts';
import { COLUMNS, SETTINGS } from './columns.ts';
import type { LoadBalancerRow, ProvisioningStatus, Settings } from './model.ts';

/** Changes of load balancers. Creation is in insert-store.ts, lists are in list-store.ts, whole load balancers in
 *  tree-store.ts, what the data plane says of them in health-store.ts. */

/** The row, locked against every other change until the transaction ends. @throws NotFound */
export const { lock: lockLoadBalancer } = heldTable<LoadBalancerRow>('load_balancers', 'Load balancer', {
  columns: listOf(COLUMNS, 'lb'),
  alias: 'lb',
});

/** Gives the lock to a task. */
export async function holdLoadBalancer(
  tx: Tx,
  id: string,
  to: ProvisioningStatus,
  taskId: string,
): Promise<void> {
  await tx.run(
    sql`update load_balancers set provisioning_status = ${to}, task_id = ${taskId} where id = ${id}`,
  );
}

/** Id of the load balancer with this port. */
export async function findByPort(tx: Tx, portId: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ id: string }>(
    sql`select id from load_balancers where vip_port_id = ${portId}`,
  );
  return row?.id;
}

/** Notes as a new version that floating IPs have come or gone, while the task holds it. */
export async function noteFloatingIps(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.run(sql`update load_balancers set version = version + 1,
            assigned_floating = exists (select from floating_ips f where f.load_balancer_id = ${id})
      where id = ${id} and task_id = ${taskId}`);
}

/** Writes these settings as a new version. */
const change = (to: Settings): Sql => sql`update load_balancers set (${listOf(SETTINGS)}, logging_enabled) = (
      select ${listOf(SETTINGS, 'p')}, coalesce((p.logging ->> 'enabled')::boolean, false)
        from jsonb_populate_record(null::load_balancers, ${JSON.stringify(to)}::jsonb) p), version = version + 1`;

/** Writes settings as a new version. */
export async function changeLoadBalancer(tx: Tx, id: string, to: Settings, timestamp: string): Promise<void> {
  await tx.run(sql`${change(to)}, updated_at = ${timestamp} where id = ${id}`);
}

/** Puts settings back as yet another version, once: `changed` is the version that is undone. */
export async function restoreLoadBalancer(
  db: Db,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
  to: Settings,
): Promise<void> {
  await db.run(sql`${change(to)} where id = ${id} and task_id = ${taskId} and version = ${changed}`);
}

export type VipColumn = 'vip_address' | 'additional_address';

const ROW = { table: 'load_balancers', key: 'id', owner: 'vip_port_id' };

/** Each stores an address that the load balancer does not have yet. */
export const storeAddress: Readonly<Record<VipColumn, StoreAddress>> = {
  vip_address: storingAddress({
    ...ROW,
    address: 'vip_address',
    space: 'vip_space',
    subnet: 'vip_subnet_id',
  }),
  additional_address: storingAddress({
    ...ROW,
    address: 'additional_address',
    space: 'additional_space',
    subnet: 'additional_subnet_id',
  }),
};

/** Removes a load balancer and all its parts while the task holds it.
 *  @returns whether there was anything to remove */
export async function deleteLoadBalancer(tx: Tx, id: string, taskId: string): Promise<boolean> {
  const locked = tx.run(sql`select from load_balancers where id = ${id} for update`);
  const deleted = tx.any(sql`
    with gone as (
      delete from load_balancers where id = ${id} and task_id = ${taskId} returning *, vip_port_id as port_id),
      ${portsOfGone(sql`updated_at`)}, ${usageEnded('load_balancers', sql`gone`)},
      ${leftBehind('load_balancer', sql`gone`)}
    select from gone`);
  const [, isDeleted] = await together([locked, deleted]);
  return isDeleted;
}

/** Has the data planes of a client's load balancers compared anew with what is desired: whether they are to serve
 *  depends on the client, too. */
export async function lookAnewAtLoadBalancers(tx: Tx, clientId: number): Promise<void> {
  await tx.run(
    sql`update load_balancers set version = version + 1 where id in (select id from load_balancers where client_id = ${clientId} order by id for update)`,
  );
}
