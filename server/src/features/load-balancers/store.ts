import { type Db, type Tx, together } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listOf } from '../../platform/database/rows.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
import { type StoreAddress, storingAddress } from '../networking/addresses/index.ts';
import { portsOfGone } from '../networking/ports/index.ts';
import { COLUMNS, SETTINGS } from './columns.ts';
import type { LoadBalancerRow, ProvisioningStatus, Settings } from './model.ts';

/** Changes of load balancers. Creation is in insert-store.ts, lists are in list-store.ts, whole load balancers in
 *  tree-store.ts, what the data plane says of them in health-store.ts. */

/** The row, locked against every other change until the transaction ends. @throws NotFound */
export const { lock: lockLoadBalancer } = heldTable<LoadBalancerRow>('load_balancers', 'Load balancer', {
  ...{ columns: listOf(COLUMNS, 'lb'), alias: 'lb' },
});

/** Gives the lock to a task. */
export async function holdLoadBalancer(
  tx: Tx,
  id: string,
  to: ProvisioningStatus,
  taskId: string,
): Promise<void> {
  await tx.named(
    'lb_hold',
    'update load_balancers set provisioning_status = $2, task_id = $3 where id = $1',
    [id, to, taskId],
  );
}

/** Id of the load balancer with this port. */
export async function findByPort(tx: Tx, portId: string): Promise<string | undefined> {
  const [row] = await tx.named<{ id: string }>(
    'lb_by_port',
    'select id from load_balancers where vip_port_id = $1',
    [portId],
  );
  return row?.id;
}

/** Notes as a new version that floating IPs have come or gone, while the task holds it. */
export async function noteFloatingIps(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named(
    'lb_note_floating_ips',
    `update load_balancers set version = version + 1,
            assigned_floating = exists (select from floating_ips f where f.load_balancer_id = $1)
      where id = $1 and task_id = $2`,
    [id, taskId],
  );
}

/** Writes the settings of $2 as a new version. */
const CHANGE = `update load_balancers set (${listOf(SETTINGS)}, logging_enabled) = (
      select ${listOf(SETTINGS, 'p')}, coalesce((p.logging ->> 'enabled')::boolean, false)
        from jsonb_populate_record(null::load_balancers, $2::jsonb) p), version = version + 1`;

/** Writes settings as a new version. */
export async function changeLoadBalancer(tx: Tx, id: string, to: Settings, timestamp: string): Promise<void> {
  await tx.named('lb_change', `${CHANGE}, updated_at = $3 where id = $1`, [
    id,
    JSON.stringify(to),
    timestamp,
  ]);
}

/** Puts settings back as yet another version, once: `changed` is the version that is undone. */
export async function restoreLoadBalancer(
  db: Db,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
  to: Settings,
): Promise<void> {
  await db.named('lb_restore', `${CHANGE} where id = $1 and task_id = $3 and version = $4`, [
    id,
    JSON.stringify(to),
    taskId,
    changed,
  ]);
}

export type VipColumn = 'vip_address' | 'additional_address';

const ROW = { table: 'load_balancers', key: 'id', owner: 'vip_port_id' };

/** Each stores an address that the load balancer does not have yet. */
export const storeAddress: Readonly<Record<VipColumn, StoreAddress>> = {
  vip_address: storingAddress({
    ...ROW,
    ...{ address: 'vip_address', space: 'vip_space', subnet: 'vip_subnet_id' },
  }),
  additional_address: storingAddress({
    ...ROW,
    ...{ address: 'additional_address', space: 'additional_space', subnet: 'additional_subnet_id' },
  }),
};

/** Removes a load balancer and all its parts while the task holds it.
 *  @returns whether there was anything to remove */
export async function deleteLoadBalancer(tx: Tx, id: string, taskId: string): Promise<boolean> {
  const locked = tx.named('lb_lock_held', 'select from load_balancers where id = $1 for update', [id]);
  const deleted = tx.named(
    'lb_delete',
    `with gone as (
       delete from load_balancers where id = $1 and task_id = $2 returning *, vip_port_id as port_id),
       ${portsOfGone('updated_at')}, ${usageEnded('load_balancers', 'gone')}
     select from gone`,
    [id, taskId],
  );
  const [, rows] = await together([locked, deleted]);
  return rows.length > 0;
}

/** Has the data planes of a client's load balancers compared anew with what is desired: whether they are to serve
 *  depends on the client, too. */
export async function lookAnewAtLoadBalancers(tx: Tx, clientId: number): Promise<void> {
  await tx.named(
    'lb_look_anew',
    'update load_balancers set version = version + 1 where id in (select id from load_balancers where client_id = $1 order by id for update)',
    [clientId],
  );
}
